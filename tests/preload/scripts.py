#!/usr/bin/env python3
"""`tutti run` on a script that starts MPI jobs itself: each is served, what is no MPI job runs as it is, and the script's
exit status is the command's.

    scripts.py --tutti build/bin/tutti --programs build/bin
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

LAUNCHERS = {"mpich": "mpirun.mpich", "openmpi": "mpirun.openmpi --oversubscribe"}
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
STATUS = 7
TIMEOUT_S = 120


def script_of(programs):
    lines = ["#!/bin/sh", "mpirun.mpich --version >/dev/null", "mpirun.openmpi --version >/dev/null"]
    lines += [f"{launcher} -n 2 {programs}/rooted-{mpi}" for mpi, launcher in LAUNCHERS.items()]
    return "\n".join([*lines, f"exit {STATUS}", ""])


def run_under(tutti, words):
    env = {name: value for name, value in os.environ.items() if not name.startswith("TUTTI")}
    return subprocess.run([tutti, "run", "--", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", timeout=TIMEOUT_S, check=False, env={**env, **AS_ROOT})


def faults_of(tutti, words):
    run = run_under(tutti, words)
    faults = [] if run.returncode == STATUS else [f"status {run.returncode}"]
    if run.stdout.count("0 failed") != len(LAUNCHERS):
        faults.append("a program did not end well")
    if run.stderr.count("tutti: Tutti served ") != len(LAUNCHERS):
        faults.append("not every job has a report")
    if run.stderr.count("; this runs natively") != 2:
        faults.append("the launchers' own options did not go to them")
    return [*faults, run.stdout, run.stderr] if faults else []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tutti", required=True)
    parser.add_argument("--programs", type=Path, required=True)
    options = parser.parse_args()
    programs = options.programs.resolve()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "job.sh"
        script.write_text(script_of(programs))
        script.chmod(0o700)
        for words in ([str(script)], ["sh", str(script)], ["sh", "-c", f". {script}"]):
            faults = faults_of(options.tutti, words)
            failures += bool(faults)
            print("\n".join([f"{'failed' if faults else 'passed'}  {' '.join(words)}", *faults]))
    alone = ["sh", "-c", f"{programs}/rooted-mpich"]  # one rank, which starts no job
    run = run_under(options.tutti, alone)
    is_good = run.returncode == 0 and "0 failed" in run.stdout
    failures += not is_good
    print("\n".join([f"{'passed' if is_good else 'failed'}  {' '.join(alone)}", *([] if is_good else [run.stdout])]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
