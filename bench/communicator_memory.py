#!/usr/bin/env python3
"""What a communicator takes of each rank's memory, natively and under Tutti.

    bench/communicator_memory.py BUILD

BUILD is a build tree with tests (build/release). Prints a table for docs/results/notes/communicator-memory.md. Eight ranks make 1,000
communicators, use each, and say by how much their resident memory has grown (tests/preload/c/live_communicators.c). Two minutes on a
quiet machine of two cores.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import served
from on_cluster import NAMES
from page import made_by, table

RANKS = 8
LAUNCHERS = {"mpich": ["mpirun.mpich"], "openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]}
SERVED = {"TUTTI_BCAST": "knomial", "TUTTI_ALLREDUCE": "recursive_doubling"}
# Settings of each row; None: the MPI alone.
ROWS = {"native": None, "preloaded; small messages are left to the MPI": {}, "every call served, one node": SERVED,
        "every call served, four nodes": {**SERVED, "TUTTI_NODES": "0,0,1,1,2,2,3,3"}}


def growth(build, mpi, settings, where):
    """MiB of each rank."""
    line = [*LAUNCHERS[mpi], "-n", RANKS, build / f"bin/live_communicators-{mpi}"]
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        if settings is not None:
            line = [build / "bin/tutti", "run", "--report", report, "--", *line]
        done = subprocess.run([str(word) for word in line], capture_output=True, text=True, errors="replace", check=False, timeout=300,
                              stdin=subprocess.DEVNULL, env={**os.environ, "TUTTI_TUNE": "off", **(settings or {})})
        found = [int(kib) / 1024 for kib in re.findall(r"memory grew by (-?\d+) KiB", done.stdout + done.stderr)]
        if done.returncode != 0 or len(found) != RANKS:
            sys.exit(f"communicator_memory.py: {where}: status {done.returncode}, {len(found)} ranks\n{done.stdout}{done.stderr}")
        if settings is not None:
            calls = served.in_report(report, "bcast", "allreduce")
            served.require(calls, lambda choice: (choice != served.NATIVE) == bool(settings), where, "served as the row says")
    return found


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[2].strip())
    build = pathlib.Path(sys.argv[1]).resolve()
    rows = []
    for name, settings in ROWS.items():
        found = [growth(build, mpi, settings, f"{NAMES[mpi]}, {name}") for mpi in LAUNCHERS]
        rows.append([name, *(f"{min(one):.1f}–{max(one):.1f}" for one in found)])
    print(f"{made_by('bench/communicator_memory.py BUILD')}.\n\n{table(('', *(NAMES[mpi] for mpi in LAUNCHERS)), rows)}")


if __name__ == "__main__":
    main()
