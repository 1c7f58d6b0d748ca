"""Runs commands of benchmarks that must succeed."""

import subprocess
import sys


def output_of(words, folder=None, timeout_s=600):
    """Returns its output. Ends this program if it fails."""
    line = [str(word) for word in words]
    ended = subprocess.run(line, capture_output=True, text=True, timeout=timeout_s, cwd=folder, check=False)
    if ended.returncode != 0:
        sys.exit(f"{' '.join(line)[:200]}: {ended.stderr.strip()}")
    return ended.stdout
