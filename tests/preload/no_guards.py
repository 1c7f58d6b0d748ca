#!/usr/bin/env python3
"""Calls that may return early where no guard can be had: one line says so, and they wait.

    no_guards.py --tutti build/bin/tutti --mpi mpich --programs build/bin
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

AS_ROOT = ["--allow-run-as-root"] if os.geteuid() == 0 else []
LAUNCHERS = {"mpich": ["mpirun.mpich"], "openmpi": ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", *AS_ROOT]}
LINE = re.compile(r"^tutti: TUTTI_OVERLAP: calls of rank 0 wait for their data: .*userfaultfd.*key.*mprotect", re.MULTILINE)
NOT_HERE = 77


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tutti", type=Path, required=True)
    parser.add_argument("--mpi", choices=list(LAUNCHERS), required=True)
    parser.add_argument("--programs", type=Path, required=True)
    options = parser.parse_args()
    words = [options.tutti.resolve(), "run", "--report", "none", "--mpi", options.mpi, "--set=NODES=0,1", "--set=OVERLAP=on", "--",
             *LAUNCHERS[options.mpi], "-n", "2", options.programs.resolve() / f"without_guards-{options.mpi}",
             options.programs.resolve() / f"early_checks-{options.mpi}", "100"]
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([str(word) for word in words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                             text=True, timeout=240, check=False)
    output = run.stdout + run.stderr
    print(output)
    if "seccomp" in output:
        return NOT_HERE
    lines = LINE.findall(output)
    if run.returncode != 0 or ", 0 failed" not in output or len(lines) != 1:
        print(f"status {run.returncode}, {len(lines)} lines about guards")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
