#!/usr/bin/env python3
"""The page docs/results/selection.md: does run-time selection find the best candidate? On the virtual cluster.

    bench/selection.py BUILD [--all] [--mpi mpich,openmpi] [--placements 2x1,4x2] [--output docs/results/selection.md]
                       [--keep FILE | --from FILE ...]

BUILD is a build tree (build/release). Needs root, for the virtual cluster; about 10 minutes on a quiet machine of two
cores for each MPI, hours with --all. --keep leaves the measurements as JSON, --from writes the page from them.

A cell is a nonblocking collective, a size, a length of the computation between start and wait, and a placement. In one
run every cell is a call site that selects for itself, with the budget that users have. Then each candidate that any
site had is forced in runs of its own, in turn, several times. Where another one than the choice does best there, both and
the native MPI are forced again, in turn: the least of many medians is partly luck, and only the second time counts.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import served
from on_cluster import MPIS, NAMES, ROOT, ranks_share_cores_evenly, run_there, size_text
from page import made_by, with_options

PLACEMENTS = {"2x1": (2, 1), "4x2": (4, 2)}
COLLECTIVES = ["alltoall", "allreduce"]
ALL_COLLECTIVES = ["bcast", "allreduce", "allgather", "alltoall"]
SIZES = [65536]
ALL_SIZES = [16384, 65536, 262144, 1048576]
# Products of two vectors of 20,000 doubles: nothing, shorter than the transfer, about as long, longer.
PRODUCTS = [0, 20, 100, 400]
CALLS = 1200
FORCED_CALLS = 60
WARM_UP = 12
WITHIN = 1.05
SLOWER = 1.15


class Cluster:
    def __init__(self, build, mpi, placement, folder):
        self.build, self.mpi, self.folder = build, mpi, folder
        self.nodes, self.per_node = PLACEMENTS[placement]

    def run(self, collective, sizes, calls, settings):
        """[(size, products, [µs])] and Tutti's report. The program names all nonblocking collectives, as a binding does, and so
        does not tell by itself that it makes use of them: that is told for it."""
        times, report = self.folder / "times", self.folder / "report.json"
        run_there(self.nodes, self.per_node,
                  [self.build / "bin/tutti", "run", "--report", report, "--", MPIS[self.mpi], "-n",
                   self.nodes * self.per_node, self.build / f"bin/tutti-bench-selection-{self.mpi}", collective,
                   ",".join(map(str, sizes)), ",".join(map(str, PRODUCTS)), calls, times],
                  {"TUTTI_PROGRESS": "thread", **settings}, stderr=subprocess.STDOUT)
        rows = [row.split() for row in times.read_text().splitlines()]
        return ([(int(row[0]), int(row[1]), [float(word) for word in row[2:]]) for row in rows],
                json.loads(report.read_text()))


def sites_of(report, collective):
    """The call sites in the order in which their communicators were freed."""
    return [site for site in report["sites"] if re.fullmatch(f"i?{collective}", site["collective"])
            and site["kind"] == "nonblocking"]


def forced(cluster, collective, sizes, names, rounds):
    """{(name, size, products): µs} of each candidate in runs of its own, in turn."""
    samples = {}
    for _ in range(rounds):
        for name in names:
            rows, report = cluster.run(collective, sizes, FORCED_CALLS,
                                       {"TUTTI_TUNE": "off", f"TUTTI_{collective.upper()}": name})
            served.require(served.of_report(report, f"i{collective}"), served.by(name), f"{NAMES[cluster.mpi]}, i{collective}", f"by {name}")
            for size, products, times in rows:
                samples.setdefault((name, size, products), []).extend(times[WARM_UP:])
    return {key: statistics.median(times) for key, times in samples.items()}


def measure(cluster, placement, collective, sizes, rounds):
    """The cells of one collective."""
    rows, report = cluster.run(collective, sizes, CALLS, {"TUTTI_TUNE": "all"})
    sites = sites_of(report, collective)
    if len(sites) != len(rows):
        sys.exit(f"selection.py: {len(rows)} cells of {collective}, but {len(sites)} call sites in the report")
    cells = []
    for (size, products, times), site in zip(rows, sites):
        cells.append({"mpi": cluster.mpi, "placement": placement, "collective": collective, "size": size,
                      "products": products, "choice": site["choice"], "loss": site["loss_ns"] / site["elapsed_ns"],
                      "settled_us": statistics.median(times[-len(times) // 4:]), "calls": len(times),
                      "candidates": [each["candidate"] for each in site["candidates"]], "forced_us": {},
                      "tried": {each["candidate"]: each["trials"] for each in site["candidates"]}})
    names = sorted({name for cell in cells for name in cell["candidates"]})
    first = forced(cluster, collective, sizes, names, rounds)
    for cell in cells:
        cell["forced_us"] = {name: first[name, cell["size"], cell["products"]] for name in cell["candidates"]}
    doubtful = [cell for cell in cells if best_of(cell) != cell["choice"]]
    again = sorted({name for cell in doubtful for name in (cell["choice"], best_of(cell), "native")})
    second = forced(cluster, collective, sizes, again, 2 * rounds)
    for cell in cells:
        cell["again_us"] = {name: second[name, cell["size"], cell["products"]]
                            for name in (cell["choice"], best_of(cell), "native")} if cell in doubtful else {}
        print(line_of(cell), flush=True)
    return cells


def best_of(cell):
    return min(cell["forced_us"], key=cell["forced_us"].get)


def us_of(cell, name):
    return (cell["again_us"] or cell["forced_us"])[name]


def ratios(cell):
    """The choice to the best candidate, and to the native MPI; all measured alike."""
    chosen = us_of(cell, cell["choice"])
    return chosen / us_of(cell, best_of(cell)), chosen / us_of(cell, "native")


def line_of(cell):
    name = best_of(cell)
    to_best, to_native = ratios(cell)
    return (f"| {NAMES[cell['mpi']]} | {cell['placement']} | i{cell['collective']} | {size_text(cell['size'])} | "
            f"{cell['products']} | {cell['choice']} | {us_of(cell, cell['choice']) / 1e3:.2f} | {name} | "
            f"{us_of(cell, name) / 1e3:.2f} | {to_best:.2f} | {to_native:.2f} | {100 * cell['loss']:.1f} |")


def page_of(cells, command):
    good = sum(ratios(cell)[0] <= WITHIN for cell in cells)
    slow = sum(ratios(cell)[1] > SLOWER for cell in cells)
    dear = sum(cell["loss"] > 0.02 for cell in cells)
    return "\n".join([
        "# Run-time selection: does it find the best?", "",
        "Instrument: virtual cluster, links of 1 Gbit/s, one machine with "
        f"{len(os.sched_getaffinity(0))} cores. An unmodified program calls a nonblocking collective, computes (so many",
        "products of two vectors of 20,000 doubles) and waits. In one run every row is a call site that selects for itself",
        f"in {cells[0]['calls']} calls, `TUTTI_TUNE=all`, with the default budget of 2 %. Then every candidate of the site is forced in",
        "runs of its own, in turn; where another than the choice does best, the two and the native MPI once more, which alone",
        "counts. All calls of such a run were served by its candidate, as its report counts them. Times are medians in ms of the",
        f"slowest rank from start to end of the wait. {made_by(command)}.", "",
        f"Asked for: the choice within {100 * (WITHIN - 1):.0f} % of the best candidate in 95 % of the cells: **{good} of {len(cells)}**. "
        f"Never more than {100 * (SLOWER - 1):.0f} % slower than native: {slow} cells are. Exploration within 2 %: "
        f"{dear} cells are beyond.", "",
        "| MPI | nodes x ranks | collective | size | products | choice | ms | best candidate | ms | to best | to native | lost % |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|", *map(line_of, cells), ""])


def measure_all(options, folder):
    cells = []
    for mpi in options.mpi.split(","):
        for placement in options.placements.split(","):
            cluster = Cluster(options.build.resolve(), mpi, placement, folder)
            for collective in ALL_COLLECTIVES if options.all else options.collectives.split(","):
                cells += measure(cluster, placement, collective, ALL_SIZES if options.all else SIZES, options.rounds)
                if options.keep:
                    options.keep.write_text(json.dumps(cells, indent=1))
    return cells


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path, nargs="?", help="a build tree, like build/release")
    parser.add_argument("--all", action="store_true", help="the whole grid")
    parser.add_argument("--mpi", default=",".join(MPIS))
    parser.add_argument("--placements", default=",".join(PLACEMENTS))
    parser.add_argument("--collectives", default=",".join(COLLECTIVES))
    parser.add_argument("--rounds", type=int, default=2, help="runs of every candidate")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs/results/selection.md")
    parser.add_argument("--keep", type=pathlib.Path, help="leave the measurements in this file")
    parser.add_argument("--from", dest="measured", type=pathlib.Path, nargs="+", help="measure nothing; take these files")
    options = parser.parse_args()
    if options.measured:
        cells = [cell for file in options.measured for cell in json.loads(file.read_text())]
    else:
        if options.build is None:
            parser.error("which build tree?")
        with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
            stack.enter_context(ranks_share_cores_evenly())
            cells = measure_all(options, pathlib.Path(folder))
    command = with_options("bench/selection.py BUILD", parser, options, "all", "mpi", "placements", "collectives", "rounds")
    options.output.write_text(page_of(cells, command))
    print(f"wrote {options.output}")


if __name__ == "__main__":
    main()
