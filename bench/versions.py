#!/usr/bin/env python3
"""Writes docs/results/versions.md: a few collectives under the versions of MPI that this system has, beside their best.

    bench/versions.py BUILD [--page docs/results/versions.md] [--repetitions N]

BUILD is a build tree (build/release). Needs root, for the virtual cluster. Native and Tutti are called in turn in one run of
`tutti bench`; Open MPI once as it comes and once with each other component of its own in front. Three minutes.
"""

import argparse
import csv
import pathlib
import re
import statistics
import subprocess
import tempfile

from collectives import with_counts
from on_cluster import MPIS, NAMES, ROOT, bench, ranks_share_cores_evenly, size_text
from page import made_by, with_options

COLLECTIVES = ("bcast", "reduce", "allreduce", "allgather", "alltoall")
SIZES = "8,16K,256K,1M"
COMPONENTS = ("tuned", "han", "xhc", "acoll")
HEAD = """\
# Versions of MPI

<!-- Written by bench/versions.py; do not edit. -->

{system}. {made_by}. Instrument: [virtual cluster](../howto/virtual-cluster.md), 4 nodes × 2 ranks on two cores, 1 Gbit/s; idle ranks sleep
on both sides. Median (minimum–maximum) of the slowest rank in µs, {repetitions} repetitions, native and Tutti in turn in one run.
A component that Open MPI does not choose by itself has a run of its own, in front of the others; `ratio` is Tutti's time to
the native one of that run. The built-in rules decide (`TUTTI_TUNE=off`); where they choose the native MPI, both sides run
the same code.

    ./check --on debian:13        # makes the system

"""


def components():
    """The components of Open MPI for collectives that this system has, the one that it prefers first."""
    text = subprocess.run(["ompi_info", "--parsable", "--param", "coll", "all", "--level", "9"], capture_output=True, text=True,
                          check=False).stdout
    priorities = {name: int(value) for name, value in re.findall(r":coll_(\w+)_priority:value:(-?\d+)", text)}
    return sorted((name for name in COMPONENTS if name in priorities), key=lambda name: -priorities[name])


def variants_of(mpi):
    """Name and settings of each run."""
    if mpi == "mpich":
        return {"as it comes": {}}
    preferred, *others = components()
    return {f"as it comes (coll/{preferred})": {},
            **{f"coll/{name}": {f"OMPI_MCA_coll_{name}_priority": "100"} for name in others}}


def version_of(mpi):
    text = subprocess.run(["mpichversion"] if mpi == "mpich" else ["ompi_info", "--version"], capture_output=True, text=True,
                          check=False).stdout.splitlines()
    return text[0].split(":", 1)[-1].strip().removeprefix("Open MPI ") if text else "?"


def measure(build, mpi, settings, repetitions):
    with tempfile.TemporaryDirectory() as folder:
        table, document = (pathlib.Path(folder) / name for name in ("table.csv", "table.json"))
        bench(build, mpi, 4, 2, [*COLLECTIVES, "--sizes", SIZES, "--repetitions", repetitions, "--csv", table, "--json", document],
              {"TUTTI_TUNE": "off", **settings})
        with table.open() as file:
            return {(row["collective"], row["bytes"]): row for row in with_counts(list(csv.DictReader(file)), document, NAMES[mpi])}


def side(row, name):
    return f"{float(row[name + '_us']):.0f} ({float(row[name + '_min_us']):.0f}–{float(row[name + '_max_us']):.0f})"


def ratio(row):
    wrong = "" if row["right"] == "1" else " **wrong result**"
    return ("same code" if row["choice"] == "native" else f"{float(row['ratio']):.2f}") + wrong


def section(mpi, runs):
    names = list(runs)
    lines = [f"## {NAMES[mpi]} {version_of(mpi)}", "",
             "| collective | size | Tutti | served by | " + " | ".join(f"native, {name} | ratio" for name in names) + " |",
             "|---|---|---|---|" + "---|---|" * len(names)]
    for key, row in runs[names[0]].items():
        cells = [cell for name in names for cell in (side(runs[name][key], "native"), ratio(runs[name][key]))]
        by = "" if row["choice"] == "native" else f"{row['choice']}, {row['served']}"
        lines.append(f"| {row['collective']} | {size_text(row['bytes'])} | {side(row, 'tutti')} | {by} | "
                     + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n\n"


def better_ratios(runs):
    """Tutti's time to the native one, each in the run in which the native one is better, where Tutti has algorithms of its own."""
    best = (min((rows[key] for rows in runs.values()), key=lambda row: float(row["native_us"])) for key in next(iter(runs.values())))
    return [float(row["ratio"]) for row in best if row["choice"] != "native"]


def summary(results):
    lines = ["| | cells by Tutti's algorithms | median of the ratios to the better native time | least | most |", "|---|---|---|---|---|"]
    for mpi, runs in results.items():
        ratios = better_ratios(runs)
        lines.append(f"| {NAMES[mpi]} {version_of(mpi)} | {len(ratios)} of {len(next(iter(runs.values())))} | "
                     f"{statistics.median(ratios):.2f} | {min(ratios):.2f} | {max(ratios):.2f} |")
    return "\n".join(lines) + "\n\n"


def system():
    words = dict(line.rstrip().split("=", 1) for line in open("/etc/os-release") if "=" in line)
    return words.get("PRETTY_NAME", "Linux").strip('"')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path, help="a build tree, like build/release")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs/results/versions.md")
    parser.add_argument("--repetitions", type=int, default=31)
    options = parser.parse_args()
    text = HEAD.format(system=system(), made_by=made_by(with_options("bench/versions.py BUILD", parser, options, "repetitions")), repetitions=options.repetitions)
    with ranks_share_cores_evenly():
        results = {mpi: {name: measure(options.build.resolve(), mpi, settings, options.repetitions)
                         for name, settings in variants_of(mpi).items()} for mpi in MPIS}
    text += summary(results) + "".join(section(mpi, runs) for mpi, runs in results.items())
    options.page.write_text(text)


if __name__ == "__main__":
    main()
