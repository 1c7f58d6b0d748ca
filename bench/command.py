"""How benchmarks run a command that has to succeed."""

import subprocess
import sys


def output_of(words, folder=None, timeout_s=600):
    """What it prints. Ends this program where it fails."""
    line = [str(word) for word in words]
    ended = subprocess.run(line, capture_output=True, text=True, timeout=timeout_s, cwd=folder, check=False)
    if ended.returncode != 0:
        sys.exit(f"{' '.join(line)[:200]}: {ended.stderr.strip()}")
    return ended.stdout
