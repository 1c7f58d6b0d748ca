"""The files of the source tree, as the meta tests see them. A test prints one line per finding and fails on any."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def project_files():
    """The files of the project: those that git tracks or would add, or every file without git."""
    listing = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                             capture_output=True, text=True)
    if listing.returncode == 0:
        names = sorted(set(filter(None, listing.stdout.split("\0"))))
        return [ROOT / name for name in names if (ROOT / name).is_file()]
    outside = ("build", ".git")
    return sorted(p for p in ROOT.rglob("*") if p.is_file() and p.relative_to(ROOT).parts[0] not in outside)


def short(path):
    return str(path.relative_to(ROOT))


def finish(findings, summary):
    for finding in findings:
        print(finding)
    print(f"{summary}: {len(findings)} findings")
    sys.exit(1 if findings else 0)
