#!/usr/bin/env python3
"""The table of docs/results/collectives.md: every collective natively and under Tutti, on the virtual cluster.

    bench/collectives.py BUILD [--output docs/results/collectives.md] [--quick] [--keep FOLDER]

BUILD is a build tree (build/release). Needs root, for the virtual cluster. Both sides are called in turn in one run of
`tutti bench`; times are medians of 21 repetitions with minimum and maximum, of the slowest rank; waiting ranks nap on
both sides. CPU time is that of all threads of all ranks together, inside the call. The limit is the least time that the
busiest link needs at the rate measured in the same run. --keep leaves the measurements in FOLDER, where bench/predict.py takes
them.
"""

import argparse
import csv
import json
import pathlib
import tempfile

import served
from on_cluster import MPIS, NAMES, ROOT, bench, ranks_share_cores_evenly, size_text
from page import made_by, with_options

SIZES = "8,64,512,4K,16K,64K,256K,1M,4M"
# Eight blocks of 4 MiB to and from each of eight ranks would only repeat what 1 MiB shows.
LARGE_BLOCKS = "8,64,512,4K,16K,64K,256K,1M"
RUNS = [(["barrier", "bcast", "reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan"], SIZES),
        (["allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw", "gather", "gatherv", "scatter", "scatterv"],
         LARGE_BLOCKS)]
# A limit far below what any call takes says nothing about it.
MOST_TIMES_OF_LIMIT = 20


def file_of(mpi, number):
    """The file name of a stored measurement: that of RUNS[number]."""
    return f"{mpi}-{number}.json"


def measure(build, mpi, collectives, sizes, repetitions, document):
    """Rows of one run of the benchmark, and the lines that it printed about itself. `document` is the file of all it says."""
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "table.csv"
        text = bench(build, mpi, 4, 2, [*collectives, "--sizes", sizes, "--repetitions", repetitions, "--csv", table, "--json", document],
                     {"TUTTI_TUNE": "off"})
        head = [line[2:] for line in text.splitlines() if line.startswith("# link")]
        with table.open() as file:
            return with_counts(list(csv.DictReader(file)), document, NAMES[mpi]), head


def with_counts(rows, document, where):
    """The rows of a table, each with the count of calls that its choice served: all, because nothing is tried."""
    for row, found in zip(rows, json.loads(document.read_text())["measurements"], strict=True):
        row["served"] = served.require(found["served"], served.by(row["choice"]), f"{where}, {row['collective']} of {row['bytes']} bytes",
                                       f"by {row['choice']}")
    return rows


def size_of(row):
    return "–" if row["collective"] == "barrier" else size_text(row["bytes"])


def row_text(row):
    def side(name):
        return (f"{float(row[name + '_us']):.0f} ({float(row[name + '_min_us']):.0f}–"
                f"{float(row[name + '_max_us']):.0f})")
    limit, tutti = float(row["limit_us"]), float(row["tutti_us"])
    is_limited = 0 < limit and tutti <= MOST_TIMES_OF_LIMIT * limit
    bound = f"{limit:.0f} | {tutti / limit:.2f}" if is_limited else "– | –"
    cpu = f"{float(row['native_cpu_us']):.0f} | {float(row['tutti_cpu_us']):.0f}"
    is_same_code = row["choice"] == "native"
    ratios = ["same code", "–"] if is_same_code else [f"{float(row['ratio']):.2f}", f"{float(row['cpu_ratio']):.2f}"]
    wrong = "" if row["right"] == "1" else " **wrong result**"
    return (f"| {row['collective']} | {size_of(row)} | {side('native')} | {side('tutti')} | {ratios[0]} | {cpu} | "
            f"{ratios[1]} | {bound} | {'' if is_same_code else row['choice'] + ', ' + row['served']}{wrong} |")


def cpu_text(results):
    """Checks that where the rules choose Tutti, its CPU time is at most that of the native call; lists exceptions."""
    lines = ["## CPU time", "", "Where the rules choose an algorithm of Tutti's, a call shall take no more CPU time than natively.",
             ""]
    for mpi, (rows, _) in results.items():
        chosen = [row for row in rows if row["choice"] != "native"]
        misses = [row for row in chosen if float(row["cpu_ratio"]) > 1]
        lines.append(f"- {NAMES[mpi]}: {len(chosen) - len(misses)} of {len(chosen)} rows hold."
                     + (" Not: " if misses else "")
                     + "; ".join(f"{row['collective']} {size_of(row)} ({float(row['cpu_ratio']):.2f}, time "
                                 f"{float(row['ratio']):.2f})" for row in misses) + ("." if misses else ""))
    return lines


def page(results, repetitions, command):
    lines = ["# Collectives on the virtual cluster", "",
             f"{made_by(command)}. Instrument: [virtual cluster](../howto/virtual-cluster.md), 4 nodes × 2 ranks",
             "on two cores (without autogroup scheduling), 1 Gbit/s; idle ranks sleep in both variants, measured alternately in one",
             f"run, {repetitions} repetitions, median (minimum–maximum) of the slowest rank in µs. Ratio: Tutti / native.",
             "CPU: user and system time of all threads of all ranks together, in µs per call, from the call's start to its end on",
             "each rank (median). Limit: the least time that the busiest link needs, from the link rate measured in the same run.",
             "The built-in rules decide (`TUTTI_TUNE=off`). Where they choose the native MPI, both sides run the same code.",
             "Served by: the algorithm, and how many of the timed calls it served, as the run's report counts them."]
    for mpi, (rows, heads) in results.items():
        lines += ["", f"## {NAMES[mpi]}", "", *heads, "",
                  "| collective | size | native µs | Tutti µs | ratio | native CPU | Tutti CPU | CPU ratio | limit µs | × limit | served by |",
                  "|---|---|---|---|---|---|---|---|---|---|---|", *map(row_text, rows)]
    return "\n".join([*lines, "", *cpu_text(results)]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path, help="a build tree, like build/release")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs/results/collectives.md")
    parser.add_argument("--quick", action="store_true", help="three repetitions, to try the command")
    parser.add_argument("--keep", type=pathlib.Path, help="leave the measurements in this folder")
    options = parser.parse_args()
    repetitions = 3 if options.quick else 21
    results = {}
    with tempfile.TemporaryDirectory() as name, ranks_share_cores_evenly():
        folder = options.keep or pathlib.Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        for mpi in MPIS:
            rows, heads = [], []
            for number, (collectives, sizes) in enumerate(RUNS):
                more, head = measure(options.build.resolve(), mpi, collectives, sizes, repetitions, folder / file_of(mpi, number))
                rows += more
                heads += head
            results[mpi] = (rows, heads)
    options.output.write_text(page(results, repetitions, with_options("bench/collectives.py BUILD", parser, options, "quick")))
    print(f"wrote {options.output}")


if __name__ == "__main__":
    main()
