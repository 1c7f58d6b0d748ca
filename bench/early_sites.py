"""Checks whether early return slows programs down: programs with it and without it."""

import re
import statistics
import tempfile
from pathlib import Path

import served
from on_cluster import MPIS, NAMES, run_there, with_range

# Data that is used at once, much computation, little; each some seconds, with messages that are long enough to return early.
PROGRAMS = {
    "alltoall, used at once": ["alltoall_compute", "--bytes", 1 << 20, "--unrelated-ms", 0, "--iterations", 120],
    "alltoall of 64 KiB, used at once": ["alltoall_compute", "--bytes", 64 << 10, "--unrelated-ms", 0, "--iterations", 5000],
    "bcast, used at once": ["alltoall_compute", "--bcast", "--bytes", 2 << 20, "--unrelated-ms", 0, "--iterations", 120],
    "alltoall, then computation": ["alltoall_compute", "--bytes", 1 << 20, "--unrelated-ms", 10, "--iterations", 120],
    "fft_transpose": ["fft_transpose", "--log2-size", 10, "--repeat", 30],
}
WAYS = ("off", "on")
TOTAL = re.compile(r"total_s=([\d.]+)")
TITLE = "Programs that have little to hide"
HEAD = """\
Whole programs on two nodes with one rank each, under Tutti as it is by default and with `TUTTI_OVERLAP=on`: a site whose data
is used at once has to find back to calls that wait. *Early*: calls of all runs with `on` that returned early, as their
reports count them; a row without one says nothing of early return, and has no ratio. Times are ms of a run, as median (minimum–maximum) of the runs.

| MPI | program | off | on | on / off | early |
| --- | --- | --- | --- | --- | --- |"""


class Row:
    def __init__(self, mpi, program):
        self.mpi, self.program = mpi, program
        self.totals = {way: [] for way in WAYS}
        self.served = {}  # with `on`

    def run(self, options, way):
        name, *words = PROGRAMS[self.program]
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            output = run_there(2, 1, [options.build / "bin/tutti", "run", "--report", report, "--set", f"OVERLAP={way}", "--",
                                      MPIS[self.mpi], "-n", 2, options.build / f"bin/{name}-{self.mpi}", *words, "--no-verify"])
            if way == "on":
                self.served = served.added(self.served, served.in_report(report, "bcast" if "--bcast" in words else "alltoall"))
        self.totals[way].append(float(TOTAL.search(output).group(1)) * 1e3)

    def measure(self, options):
        for turn in range(options.repetitions):
            for way in WAYS if turn % 2 == 0 else WAYS[::-1]:
                self.run(options, way)

    def early(self):
        return served.count(self.served, served.early)

    def ratio(self):
        return statistics.median(self.totals["on"]) / statistics.median(self.totals["off"])

    def text(self):
        return (f"| {NAMES[self.mpi]} | {self.program} | {with_range(self.totals['off'], 0)} | "
                f"{with_range(self.totals['on'], 0)} | {f'{self.ratio():.3f}' if self.early() else '–'} | {self.early()} of {sum(self.served.values())} |")


def measure(options):
    rows = [Row(mpi, program) for mpi in MPIS for program in PROGRAMS]
    for row in rows:
        row.measure(options)
        print(row.text(), flush=True)
    served.require(served.added(*(row.served for row in rows)), served.early, "all programs", "returned early", least=1)
    return rows


def section(rows):
    return [HEAD, *(row.text() for row in rows), ""]


def summary(rows):
    return [f"| programs that have little to hide: with early return, of the time without | "
            f"{with_range([row.ratio() for row in rows if row.early()])} | ≤ 1.03 |"]
