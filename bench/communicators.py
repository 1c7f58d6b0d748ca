#!/usr/bin/env python3
"""What it costs to make and free communicators, natively and under Tutti, on the virtual cluster.

    bench/communicators.py BUILD [--runs N] [--set NAME=VALUE]

BUILD is a build tree (build/release; targets tutti tutti_mpi_mpich tutti_mpi_openmpi tutti-communicators-mpich
tutti-communicators-openmpi). Needs root, for the virtual cluster. Two ranks on one node and four on two. Native runs and
runs under Tutti take turns; each gives the median of 200 calls on the slowest rank. Printed are medians of the runs
(minimum-maximum), in us: the table of docs/mpi-semantics.md. About four minutes on a machine of two cores.
"""

import argparse
import pathlib
import statistics

from on_cluster import MPIS, NAMES, ranks_share_cores_evenly, run_there, with_range

SHAPES = {"2 ranks, 1 node": (1, 2), "4 ranks, 2 nodes": (2, 2)}
CALLS = 200
WAYS = {"dup": "`MPI_Comm_dup`", "split": "`MPI_Comm_split`, all in one", "split_in_two": "`MPI_Comm_split`, in two",
        "create": "`MPI_Comm_create`"}


def run(build, mpi, shape, settings):
    """{way: (us to make, us to free)}. `settings` is None: natively."""
    nodes, ranks_per_node = SHAPES[shape]
    line = [MPIS[mpi], "-n", nodes * ranks_per_node, build / f"bin/tutti-communicators-{mpi}", CALLS]
    if settings is not None:
        chosen = [word for setting in settings for word in ("--set", setting)]
        line = [build / "bin/tutti", "run", "--report", "none", *chosen, "--", *line]
    lines = [line.split() for line in run_there(nodes, ranks_per_node, line).splitlines()]
    return {words[0]: (float(words[1]), float(words[2])) for words in lines if words and words[0] in WAYS}


def rows(mpi, shape, native, tutti):
    """The cost of each way to make communicators; freeing costs the same for all, as one row."""
    def row(what, mine, theirs):
        return (f"| {NAMES[mpi]} | {shape} | {what} | {with_range(mine, 0)} | {with_range(theirs, 0)} | "
                f"{statistics.median(theirs) / statistics.median(mine):.1f} |")
    for way, words in WAYS.items():
        yield row(words, [one[way][0] for one in native], [one[way][0] for one in tutti])
    yield row("`MPI_Comm_free`", *([one[way][1] for one in side for way in WAYS] for side in (native, tutti)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="a build tree, like build/release")
    parser.add_argument("--runs", type=int, default=10, help="of each side, in turn")
    parser.add_argument("--set", dest="settings", action="append", default=[], metavar="NAME=VALUE", help="of Tutti, like TUNE=off")
    options = parser.parse_args()
    build = options.build.resolve()
    print("| | | | native µs | Tutti µs | ratio |\n|---|---|---|---|---|---|")
    with ranks_share_cores_evenly():
        for mpi in MPIS:
            for shape in SHAPES:
                native, tutti = [], []
                for turn in range(options.runs):
                    sides = [(native, None), (tutti, options.settings)]
                    for samples, settings in sides if turn % 2 == 0 else sides[::-1]:
                        samples.append(run(build, mpi, shape, settings))
                print("\n".join(rows(mpi, shape, native, tutti)), flush=True)


if __name__ == "__main__":
    main()
