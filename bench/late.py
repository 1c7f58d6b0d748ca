#!/usr/bin/env python3
"""Collectives whose ranks arrive at different times, natively and under Tutti, on the virtual cluster (4 nodes x 2 ranks).

    bench/late.py BUILD [--arrivals PATTERN ...] [--collective NAME ...] [--warm-up N] …

BUILD is a build tree (build/release; targets tutti tutti_mpi_mpich tutti_mpi_openmpi tutti-bench-mpich tutti-bench-openmpi).
Needs root, for the virtual cluster. Runs `tutti bench --arrivals` (docs/arrival.md) for each pattern, by default none,
uniform:5ms and uniform:20ms, and each collective, by default bcast. Prints for each MPI, size and pattern, as the median
over repetitions (minimum-maximum), in us:

    mean         time inside the call, mean over ranks
    slowest      the same of the rank that needed longest, mean over calls
    after last   from the last rank's arrival to the last one's exit
    floor        what nobody can avoid of the mean: waiting for data that is not there yet

and what served Tutti's side. --warm-up says how many calls run-time selection gets before the measured ones.
About two minutes on a machine of two cores; with `--warm-up 2000`, in which it settles, an hour.
"""

import argparse
import json
import pathlib
import statistics
import tempfile

from on_cluster import MPIS, NAMES, bench, ranks_share_cores_evenly, size_text

FIGURES = {"mean_us": "mean", "slowest_us": "slowest", "after_last_us": "after last", "floor_mean_us": "floor"}
PATTERNS = ["none", "uniform:5ms", "uniform:20ms"]
COUNTS = {"repetitions": 11, "calls": 20, "warm-up": 20}


def rows_of(options, mpi, arrivals):
    counts = [word for name in COUNTS for word in (f"--{name}", vars(options)[name])]
    settings = {f"TUTTI_{name}": value for name, _, value in (setting.partition("=") for setting in options.settings)}
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "late.json"
        bench(options.build.resolve(), mpi, 4, 2, [*(options.collective or ["bcast"]), "--sizes", options.sizes, *counts,
                                                   "--arrivals", arrivals, "--json", out], settings)
        return [{"arrivals": arrivals, **row} for row in json.loads(out.read_text())["measurements"]]


def text_of(values):
    return f"{statistics.median(values):.0f} ({min(values):.0f}–{max(values):.0f})"


def table(mpi, rows):
    lines = [f"## {NAMES[mpi]}", "", "| collective | size | arrivals | | " + " | ".join(FIGURES.values()) + " | served by |",
             "|---|---|---|---|" + "---|" * (len(FIGURES) + 1)]
    for row in rows:
        for side in ("native", "tutti"):
            served = "native" if side == "native" else row["choice"] or "not known"
            lines.append(f"| {row['collective']} | {size_text(row['bytes'])} | {row['arrivals']} | {side} | "
                         + " | ".join(text_of(row[side][figure]) for figure in FIGURES) + f" | {served} |")
    return "\n".join([*lines, ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="a build tree, like build/release")
    parser.add_argument("--arrivals", action="append", metavar="PATTERN", help="like uniform:5ms")
    parser.add_argument("--set", dest="settings", action="append", default=[], metavar="NAME=VALUE", help="of Tutti, like TUNE=off")
    parser.add_argument("--mpi", choices=MPIS, action="append", help="only this MPI")
    parser.add_argument("--json", type=pathlib.Path, help="also write every repetition to this file")
    parser.add_argument("--collective", action="append", metavar="NAME", help="like allreduce")
    parser.add_argument("--sizes", default="8,64K,1M")
    for name, count in COUNTS.items():
        parser.add_argument(f"--{name}", dest=name, type=int, default=count, help=f"of tutti bench ({count})")
    options = parser.parse_args()
    results = {}
    with ranks_share_cores_evenly():
        for mpi in options.mpi or MPIS:
            results[mpi] = [row for arrivals in options.arrivals or PATTERNS
                            for row in rows_of(options, mpi, arrivals)]
            print(table(mpi, results[mpi]), flush=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
