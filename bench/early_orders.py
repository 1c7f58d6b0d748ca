"""Checks whether early return learns the order in which a program uses a result (paper 002, section 5)."""

import re
import statistics

from early_micro import run_way
from on_cluster import MPIS, NAMES, with_range

BYTES = 4 << 20
RELATED_MS = 60
LEARNING_CALLS = 5
ORDERS = {"forward": [], "backward": ["--backward"], "2 threads": ["--stride", 64], "8 threads": ["--stride", 16],
          "blocks by turns, backward": ["--stride", 64, "--backward"]}
WAYS = ("native", "early")
FIGURES = re.compile(r"total_s=([\d.]+) checksum=(\w+) wrong=0")
TITLE = "Orders of use"
HEAD = """\
`MPI_Alltoall` of 4 MiB between two nodes with one rank each, followed by computation (asleep, 60 ms) on all of the data in
different orders, as one thread or several use it. The first five calls do not count: by then the order has been learned, in
the program's own calls. Times are ms of an iteration, of the slowest rank, as median (minimum–maximum) of the runs. *Of
forward*: what is hidden, of what is hidden in the order in which data comes by itself.

| MPI | order | native | Tutti early | hidden | of forward |
| --- | --- | --- | --- | --- | --- |"""


class Row:
    def __init__(self, mpi, order):
        self.mpi, self.order = mpi, order
        self.totals = {way: [] for way in WAYS}

    def run(self, options, way):
        words = [MPIS[self.mpi], "-n", 2, options.build / f"bin/alltoall_compute-{self.mpi}", "--bytes", BYTES, "--sleep",
                 "--unrelated-ms", 0, "--related-ms", RELATED_MS, "--warm-up", LEARNING_CALLS, "--iterations",
                 2 * options.iterations, *ORDERS[self.order]]
        output = run_way(options, way, (2, 1), words, f"{NAMES[self.mpi]}, {self.order}", "alltoall")
        total, checksum = FIGURES.search(output).groups()
        self.totals[way].append(float(total) * 1e3 / (2 * options.iterations))
        return checksum

    def measure(self, options):
        checksums = {self.run(options, way) for turn in range(options.repetitions)
                     for way in (WAYS if turn % 2 == 0 else WAYS[::-1])}
        if len(checksums) != 1:
            raise SystemExit(f"bench/early.py: results differ: {checksums}")

    def hidden(self):
        return statistics.median(self.totals["native"]) - statistics.median(self.totals["early"])

    def text(self, forward):
        return (f"| {NAMES[self.mpi]} | {self.order} | {with_range(self.totals['native'], 1)} | "
                f"{with_range(self.totals['early'], 1)} | {self.hidden():.1f} | {100 * self.hidden() / forward.hidden():.0f} % |")


def measure(options):
    rows = {}
    for mpi in MPIS:
        for order in ORDERS:
            rows[mpi, order] = Row(mpi, order)
            rows[mpi, order].measure(options)
            print(rows[mpi, order].text(rows[mpi, "forward"]), flush=True)
    return rows


def section(rows):
    return [HEAD, *(row.text(rows[mpi, "forward"]) for (mpi, _), row in rows.items()), ""]


def summary(rows):
    shares = [100 * row.hidden() / rows[mpi, "forward"].hidden() for (mpi, order), row in rows.items() if order != "forward"]
    return [f"| orders that are learned: hidden, of the order in which data comes | {with_range(shares, 0)} % | "
            "≥ 90 % after 5 calls |"]
