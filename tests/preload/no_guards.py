#!/usr/bin/env python3
"""Calls that may return early where no guard can be had: one line says so, and they wait. With MPICH, where UCX
has rewritten munmap() before any code of Tutti ran (UCX 1.13 does, 1.18 does not); with both, where the kernel has none
(a seccomp filter).

    no_guards.py --tutti build/bin/tutti --mpi mpich --programs build/bin
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from run import version_of

AS_ROOT = ["--allow-run-as-root"] if os.geteuid() == 0 else []
LAUNCHERS = {"mpich": ["mpirun.mpich"], "openmpi": ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", *AS_ROOT]}
LINE = r"^tutti: TUTTI_OVERLAP: calls of rank 0 wait for their data: "
NO_KERNEL = re.compile(LINE + r".*userfaultfd.*key.*mprotect", re.MULTILINE)
TAKEN_OVER = re.compile(LINE + r"mprotect: another library has taken munmap\(\)", re.MULTILINE)
NOT_HERE = 77


def job(options, settings, *words):
    line = [options.tutti.resolve(), "run", "--report", "none", "--mpi", options.mpi, "--set=NODES=0,1", "--set=OVERLAP=on",
            *settings, "--", *LAUNCHERS[options.mpi], "-n", "2", *words,
            options.programs.resolve() / f"early_checks-{options.mpi}", "100"]
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([str(word) for word in line], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=240, check=False)


def is_good(run, line, expected=1):
    lines = line.findall(run.stdout)
    print(f"{run.stdout}status {run.returncode}, {len(lines)} lines about guards")
    return run.returncode == 0 and ", 0 failed" in run.stdout and len(lines) == expected


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tutti", type=Path, required=True)
    parser.add_argument("--mpi", choices=list(LAUNCHERS), required=True)
    parser.add_argument("--programs", type=Path, required=True)
    options = parser.parse_args()
    if options.mpi == "mpich":
        taken_over = job(options, ["--set=OVERLAP_GUARD=mprotect", "--set=OVERLAP_BYTES=1"])
        if not is_good(taken_over, TAKEN_OVER, expected=1 if version_of("mpich") == "4.0" else 0):
            return 1
    filtered = job(options, [], options.programs.resolve() / f"without_guards-{options.mpi}")
    if "seccomp" in filtered.stdout:
        print(filtered.stdout)
        return NOT_HERE
    return 0 if is_good(filtered, NO_KERNEL) else 1


if __name__ == "__main__":
    sys.exit(main())
