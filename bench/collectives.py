#!/usr/bin/env python3
"""The table of docs/results/collectives.md: every collective natively and under Tutti, on the virtual cluster.

    bench/collectives.py BUILD [--output docs/results/collectives.md] [--quick]

BUILD is a build tree (build/release). Needs root, for the virtual cluster. Both sides are called in turn in one run of
`tutti bench`; times are medians of at least 10 repetitions with minimum and maximum, of the slowest rank; waiting
ranks nap on both sides. The limit is the least time that the busiest link needs at the rate measured in the same run.
"""

import argparse
import csv
import pathlib
import tempfile

from on_cluster import MPIS, NAMES, ROOT, bench, ranks_share_cores_evenly, size_text

SIZES = "8,64,512,4K,16K,64K,256K,1M,4M"
# Eight blocks of 4 MiB to and from each of eight ranks would only repeat what 1 MiB shows.
LARGE_BLOCKS = "8,64,512,4K,16K,64K,256K,1M"
RUNS = [(["barrier", "bcast", "reduce", "allreduce", "reduce_scatter", "scan"], SIZES),
        (["allgather", "alltoall", "gather", "scatter"], LARGE_BLOCKS)]


def measure(build, mpi, collectives, sizes, repetitions):
    """Rows of one run of the benchmark, and the lines that it printed about itself."""
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "table.csv"
        text = bench(build, mpi, 4, 2, [*collectives, "--sizes", sizes, "--repetitions", repetitions, "--csv", table],
                     {"TUTTI_TUNE": "off"})
        head = [line[2:] for line in text.splitlines() if line.startswith("# link")]
        with table.open() as file:
            return list(csv.DictReader(file)), head


def row_text(row):
    def side(name):
        return (f"{float(row[name + '_us']):.0f} ({float(row[name + '_min_us']):.0f}–"
                f"{float(row[name + '_max_us']):.0f})")
    limit = float(row["limit_us"])
    bound = f"{limit:.0f} | {float(row['tutti_us']) / limit:.2f}" if limit > 0 else "– | –"
    size = "–" if row["collective"] == "barrier" else size_text(row["bytes"])
    wrong = "" if row["right"] == "1" else " **wrong result**"
    return (f"| {row['collective']} | {size} | {side('native')} | {side('tutti')} | "
            f"{float(row['ratio']):.2f} | {bound} |{wrong}")


def page(results, repetitions):
    lines = ["# Collectives on the virtual cluster", "",
             "Made by `bench/collectives.py BUILD`. Instrument: virtual cluster (DESIGN §10), 4 nodes × 2 ranks on two",
             "cores (without autogroup scheduling), 1 Gbit/s; waiting ranks nap on both sides; both sides in turn in one run,",
             f"{repetitions} repetitions, median (minimum–maximum) of the slowest rank in µs. Ratio: Tutti / native.",
             "Limit: the least time that the busiest link needs, from the link rate measured in the same run.",
             "The built-in rules decide (`TUTTI_TUNE=off`). Where they choose the native MPI, both sides run the same code, and",
             "the ratio shows the noise."]
    for mpi, (rows, heads) in results.items():
        lines += ["", f"## {NAMES[mpi]}", "", *heads, "",
                  "| collective | size | native µs | Tutti µs | ratio | limit µs | × limit |",
                  "|---|---|---|---|---|---|---|", *map(row_text, rows)]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path, help="a build tree, like build/release")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs/results/collectives.md")
    parser.add_argument("--quick", action="store_true", help="three repetitions, to try the command")
    options = parser.parse_args()
    repetitions = 3 if options.quick else 21
    results = {}
    with ranks_share_cores_evenly():
        for mpi in MPIS:
            rows, heads = [], []
            for collectives, sizes in RUNS:
                more, head = measure(options.build.resolve(), mpi, collectives, sizes, repetitions)
                rows += more
                heads += head
            results[mpi] = (rows, heads)
    options.output.write_text(page(results, repetitions))
    print(f"wrote {options.output}")


if __name__ == "__main__":
    main()
