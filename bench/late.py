#!/usr/bin/env python3
"""Broadcasts whose ranks arrive at different times, natively and under Tutti, on the virtual cluster (4 nodes x 2 ranks).

    bench/late.py BUILD [--set NAME=VALUE] [--mpi MPI] [--json FILE] [options of tutti-late]

BUILD is a build tree (build/release; targets tutti tutti_mpi_mpich tutti_mpi_openmpi tutti-late-mpich
tutti-late-openmpi). Needs root, for the virtual cluster. Before each call all ranks meet, and each sleeps for a time
uniform in [0, k] ms, drawn for the rank and the call, the same on both sides, which take turns in one run. Prints for
each MPI, size and k, as the median over batches (minimum-maximum), in us:

    mean         time inside MPI_Bcast, mean over ranks
    slowest      the same of the rank that needed longest, mean over calls
    after last   from the last rank's arrival to the last one's exit
    floor        what no broadcast can avoid of the mean: ranks that wait for the root to arrive

and what served Tutti's side. --warm-up says how many calls run-time selection gets before the measured ones.
About two minutes on a machine of two cores; with `--warm-up 2000`, in which it settles, an hour.
"""

import argparse
import json
import pathlib
import statistics

from on_cluster import MPIS, NAMES, ranks_share_cores_evenly, run_there, size_text

FIGURES = {"mean_us": "mean", "slowest_us": "slowest", "after_last_us": "after last", "unavoidable_us": "floor"}


def rows_of(build, mpi, settings, words):
    command = [build / "bin/tutti", "run", "--report", "none", "--set", "REPORT=memory",
               *[word for setting in settings for word in ("--set", setting)],
               "--", MPIS[mpi], "-n", 8, build / f"bin/tutti-late-{mpi}", *words]
    return [json.loads(line) for line in run_there(4, 2, command).splitlines() if line.startswith("{")]


def text_of(values):
    return f"{statistics.median(values):.0f} ({min(values):.0f}–{max(values):.0f})"


def table(mpi, rows):
    lines = [f"## {NAMES[mpi]}", "", "| size | k, ms | | " + " | ".join(FIGURES.values()) + " | served by |",
             "|---|---|---|" + "---|" * (len(FIGURES) + 1)]
    for row in rows:
        for side in ("native", "tutti"):
            served = "native" if side == "native" else row["choice"] or "not known"
            lines.append(f"| {size_text(row['bytes'])} | {row['spread_ms']:g} | {side} | "
                         + " | ".join(text_of(row[side][figure]) for figure in FIGURES) + f" | {served} |")
    return "\n".join([*lines, ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="a build tree, like build/release")
    parser.add_argument("--set", dest="settings", action="append", default=[], metavar="NAME=VALUE", help="of Tutti, like TUNE=off")
    parser.add_argument("--mpi", choices=MPIS, action="append", help="only this MPI")
    parser.add_argument("--json", type=pathlib.Path, help="also write every batch to this file")
    options, words = parser.parse_known_args()
    results = {}
    with ranks_share_cores_evenly():
        for mpi in options.mpi or MPIS:
            results[mpi] = rows_of(options.build.resolve(), mpi, options.settings, words)
            print(table(mpi, results[mpi]), flush=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
