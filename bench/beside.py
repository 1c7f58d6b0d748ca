#!/usr/bin/env python3
"""A nonblocking collective and the program's own messages beside it, native and with Tutti over the MPI and over UCX.

    bench/beside.py BUILD [--runs N]

BUILD is a build tree (build/release) that was made where UCX is installed. Prints a table for docs/results/notes/own-messages.md.
Needs root, for the virtual cluster. The cases run in turn, each a run of its own; medians with minimum and maximum.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from on_cluster import MPIS, NAMES, ranks_share_cores_evenly, run_there, size_text, with_range
from page import made_by, with_options

SIZES = {65536: 100, 1048576: 30, 4194304: 10}  # bytes: calls
NATIVE, OVER_UCX = "native", "Tutti, over UCX"
SIDES = {NATIVE: {"TUTTI": "0"}, "Tutti, over the MPI": {"TUTTI_TRANSPORT": "mpi"}, OVER_UCX: {"TUTTI_TRANSPORT": "ucx"}}
CASES = ["asleep", "bouncing"]


def run(build, mpi, side, case, size):
    """ms of a call, µs of half a round trip."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        command = [build / "bin/tutti", "run", "--report", report, "--", MPIS[mpi], "-n", 2,
                   build / f"bin/tutti-beside-{mpi}", case, size, SIZES[size]]
        words = run_there(2, 1, command, {"TUTTI_TUNE": "off", **SIDES[side]}, stderr=subprocess.DEVNULL).split()
        # If UCX reaches no other node, Tutti reports so there and uses the MPI.
        if side != NATIVE and (side == OVER_UCX) != ("over UCX" in json.loads(report.read_text())["progress"]):
            sys.exit(f"beside.py: a run of “{side}” went another way")
    return float(words[-2]) / 1e3, float(words[-1])


def row(mpi, size, side, asleep, bouncing):
    return (f"| {NAMES[mpi]} | {size_text(size)} | {side} | {with_range([s[0] for s in asleep])} | "
            f"{with_range([s[0] for s in bouncing])} | {with_range([s[1] for s in bouncing])} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path, help="a build tree, like build/release")
    parser.add_argument("--runs", type=int, default=10)
    options = parser.parse_args()
    print(f"{made_by(with_options('bench/beside.py BUILD', parser, options, 'runs'))}.\n")
    print("| | block | | call beside a sleeping program, ms | beside messages, ms | these, µs |\n|---|---|---|---|---|---|")
    with ranks_share_cores_evenly():
        for mpi in MPIS:
            for size in SIZES:
                samples = {(side, case): [] for side in SIDES for case in CASES}
                for _ in range(options.runs):
                    for (side, case), values in samples.items():
                        values.append(run(options.build.resolve(), mpi, side, case, size))
                for side in SIDES:
                    print(row(mpi, size, side, samples[side, "asleep"], samples[side, "bouncing"]), flush=True)


if __name__ == "__main__":
    main()
