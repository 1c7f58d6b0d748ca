#!/usr/bin/env python3
"""What MPI_THREAD_MULTIPLE and a progress thread cost a program's own small messages inside one node.

    bench/thread_level.py BUILD [--runs N]

BUILD is a build tree (build/release). Prints a table for docs/results/notes/thread-level.md. Two ranks on two quiet cores; the cases
run in turn, each a run of its own; medians with minimum and maximum, ratios to MPI_THREAD_SINGLE of the same round.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys

from on_cluster import NAMES, with_range
from page import made_by, with_options

LAUNCHERS = {"mpich": ["mpirun.mpich", "-bind-to", "none"],
             "openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--bind-to", "none"]}
# Case: (words for the program, settings of Tutti, or None to run it natively).
CASES = {
    "single": (["single"], None),
    "multiple": (["multiple"], None),
    "multiple, Tutti's thread parked": (["multiple"], {"TUTTI_PROGRESS": "thread"}),
    "multiple, native barrier pending": (["multiple", "pending"], None),
    "multiple, barrier pending on Tutti's thread": (
        ["multiple", "pending"], {"TUTTI_PROGRESS": "thread", "TUTTI_BARRIER": "dissemination"}),
}


def run(build, mpi, case):
    """Latency in µs, messages per second, CPU time per wall time."""
    words, settings = CASES[case]
    program = [build / f"bin/tutti-thread-level-{mpi}", *words]
    line = [*LAUNCHERS[mpi], "-n", "2", *program]
    if settings is not None:
        line = [build / "bin/tutti", "run", "--report", "none", "--", *line]
    done = subprocess.run([str(word) for word in line], capture_output=True, text=True, errors="replace", check=False,
                          env={**os.environ, **(settings or {})})
    if done.returncode != 0:
        sys.exit(f"thread_level.py: {case} ended with status {done.returncode}\n{done.stdout}{done.stderr}")
    return [float(word) for word in done.stdout.split()]


def row(case, samples, base):
    latencies, rates, shares = zip(*samples)
    slower = [mine[0] / single[0] for mine, single in zip(samples, base)]
    fewer = [mine[1] / single[1] for mine, single in zip(samples, base)]
    return (f"| {case} | {with_range(latencies)} | {with_range(slower)} | "
            f"{with_range([rate / 1e6 for rate in rates])} | {with_range(fewer)} | {statistics.median(shares):.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path, help="a build tree, like build/release")
    parser.add_argument("--runs", type=int, default=11)
    options = parser.parse_args()
    print(f"{made_by(with_options('bench/thread_level.py BUILD', parser, options, 'runs'))}.")
    for mpi, name in NAMES.items():
        samples = {case: [] for case in CASES}
        for _ in range(options.runs):
            for case in CASES:
                samples[case].append(run(options.build.resolve(), mpi, case))
        print(f"\n| {name} | 8 bytes, µs | × single | million messages/s | × single | CPU of rank 0 |\n"
              "|---|---|---|---|---|---|")
        for case, values in samples.items():
            print(row(case, values, samples["single"]))


if __name__ == "__main__":
    main()
