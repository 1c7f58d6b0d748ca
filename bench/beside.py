#!/usr/bin/env python3
"""A nonblocking collective and the program's own messages beside it, native and with Tutti over the MPI and over UCX.

    bench/beside.py BUILD [--runs N]

BUILD is a build tree (build/release) that was made where UCX is installed. Prints a table for docs/results/README.md.
Needs root, for the virtual cluster. The cases run in turn, each a run of its own; medians with minimum and maximum.
"""

import argparse
import pathlib
import statistics
import subprocess

from on_cluster import MPIS, NAMES, ranks_share_cores_evenly, run_there, size_text

SIZES = {65536: 100, 1048576: 30, 4194304: 10}  # bytes: calls
SIDES = {"native": {"TUTTI": "0"}, "Tutti, over the MPI": {"TUTTI_TRANSPORT": "mpi"},
         "Tutti, over UCX": {"TUTTI_TRANSPORT": "ucx"}}
CASES = ["asleep", "bouncing"]


def run(build, mpi, side, case, size):
    """µs of a call, µs of half a round trip."""
    command = [build / "bin/tutti", "run", "--", MPIS[mpi], "-n", 2, build / f"bin/tutti-beside-{mpi}", case, size,
               SIZES[size]]
    words = run_there(2, 1, command, {"TUTTI_TUNE": "off", **SIDES[side]}, stderr=subprocess.DEVNULL).split()
    return [float(word) for word in words[-2:]]


def with_range(values, scale=1.0):
    return f"{statistics.median(values) / scale:.2f} ({min(values) / scale:.2f}–{max(values) / scale:.2f})"


def row(mpi, size, side, asleep, bouncing):
    return (f"| {NAMES[mpi]} | {size_text(size)} | {side} | {with_range([s[0] for s in asleep], 1e3)} | "
            f"{with_range([s[0] for s in bouncing], 1e3)} | {with_range([s[1] for s in bouncing])} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path, help="a build tree, like build/release")
    parser.add_argument("--runs", type=int, default=10)
    options = parser.parse_args()
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
