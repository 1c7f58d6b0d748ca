#!/usr/bin/env python3
"""Jobs that do not fit together. Programs of one MPI under the launcher of the other: one clear line and a status
that is not zero. Ranks with different settings: one clear line, and everything works natively.

    mismatch.py --tutti build/bin/tutti --programs build/bin
"""

import argparse
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

AS_ROOT = ["--allow-run-as-root"] if os.geteuid() == 0 else []
LAUNCHERS = {"mpich": ["mpirun.mpich"], "openmpi": ["mpirun.openmpi", "--oversubscribe", *AS_ROOT]}
NAMES = {"mpich": "MPICH", "openmpi": "Open MPI"}
TIMEOUT_S = 60


def fault_of(tutti, words, expected, must_work=False):
    """The error in how `tutti run` ends with these words, or an empty string."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("TUTTI")}
    run = subprocess.run([tutti, "run", "--report", "none", "--", *words], stdin=subprocess.DEVNULL,
                         capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S, check=False, env=env)
    lines = [line for line in (run.stdout + run.stderr).splitlines() if line.startswith("tutti: ")]
    if run.returncode < 0 or (run.returncode == 0) != must_work:
        return f"status {run.returncode}"
    if len(lines) != 1:
        return f"{len(lines)} lines of Tutti's\n{run.stdout}{run.stderr}"
    return "" if expected in lines[0] else f"'{expected}' is not in: {lines[0]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tutti", required=True)
    parser.add_argument("--programs", type=Path, required=True)
    options = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "script"
        script.write_text('#!/bin/sh\nexec "$@"\n')
        script.chmod(stat.S_IRWXU)
        for of_launcher, of_program in (("mpich", "openmpi"), ("openmpi", "mpich")):
            launcher = LAUNCHERS[of_launcher]
            program = str(options.programs.resolve() / f"rooted-{of_program}")
            # `tutti run` sees what the program is; behind a script only the preloaded library can.
            for words, expected in (
                ([program], f"is an {NAMES[of_program]} program, but {launcher[0]} belongs to {NAMES[of_launcher]}"),
                ([str(script), program], f"preloaded, but this program uses {NAMES[of_program]}"),
            ):
                fault = fault_of(options.tutti, [*launcher, "-n", "2", *words], expected)
                failures += bool(fault)
                print(f"{'failed' if fault else 'passed'}  {' '.join([launcher[0], *words])}: {fault or expected}")
        for mpi, option in (("mpich", ["-env", "TUTTI", "0"]), ("openmpi", ["-x", "TUTTI=0"])):
            program = str(options.programs.resolve() / f"rooted-{mpi}")
            words = [*LAUNCHERS[mpi], "-n", "1", *option, program, ":", "-n", "1", program]
            expected = "the ranks have different TUTTI_* settings"
            if subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S, check=False).returncode:
                print(f"skipped  {mpi}: its launcher fails natively on lines with a colon")
                continue
            fault = fault_of(options.tutti, words, expected, must_work=True)
            failures += bool(fault)
            print(f"{'failed' if fault else 'passed'}  {mpi}, TUTTI=0 on one rank: {fault or expected}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
