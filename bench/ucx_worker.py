#!/usr/bin/env python3
"""What a UCX worker of its own would give the progress thread: does it exchange messages faster, and is it less in the way?

    bench/ucx_worker.py BUILD [--runs N]

BUILD is a build tree (build/release) that was made where UCX is installed. Prints a table for docs/results/README.md.
Needs root, for the virtual cluster. The cases run in turn, each a run of its own; medians with minimum and maximum.
"""

import argparse
import pathlib
import statistics
import subprocess

from on_cluster import MPIS, NAMES, ranks_share_cores_evenly, run_there, size_text

SIZES = {65536: 100, 1048576: 30, 4194304: 10}  # bytes: exchanges
WORKERS = {"mpi": "the MPI's", "ucx": "its own"}


def run(build, mpi, worker, main_thread, size):
    """µs of an exchange, µs of half a round trip, CPU µs of an exchange."""
    words = run_there(2, 1, [MPIS[mpi], "-n", 2, build / f"bin/tutti-ucx-worker-{mpi}", worker, main_thread, size,
                             SIZES[size]], {"UCX_TLS": "tcp"}, stderr=subprocess.STDOUT).split()
    return [float(word) for word in words[-3:]]


def with_range(values, scale=1.0):
    return f"{statistics.median(values) / scale:.2f} ({min(values) / scale:.2f}–{max(values) / scale:.2f})"


def row(mpi, worker, size, asleep, bouncing):
    return (f"| {NAMES[mpi]} | {size_text(size)} | {WORKERS[worker]} | {with_range([s[0] for s in asleep], 1e3)} | "
            f"{statistics.median(s[2] for s in asleep) / 1e3:.2f} | {with_range([s[0] for s in bouncing], 1e3)} | "
            f"{with_range([s[1] for s in bouncing])} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path, help="a build tree, like build/release")
    parser.add_argument("--runs", type=int, default=11)
    options = parser.parse_args()
    print("| | size | worker of the thread | exchange, ms | CPU of it, ms | beside messages of the main thread, ms "
          "| these, µs |\n|---|---|---|---|---|---|---|")
    with ranks_share_cores_evenly():
        for mpi in MPIS:
            for size in SIZES:
                samples = {(worker, case): [] for worker in WORKERS for case in ("asleep", "bouncing")}
                for _ in range(options.runs):
                    for (worker, case), values in samples.items():
                        values.append(run(options.build.resolve(), mpi, worker, case, size))
                for worker in WORKERS:
                    print(row(mpi, worker, size, samples[worker, "asleep"], samples[worker, "bouncing"]), flush=True)


if __name__ == "__main__":
    main()
