#!/usr/bin/env python3
"""What early return hides (paper 002, Table 1): an alltoall between two nodes in the five scenarios of Fig. 1.

    bench/early.py BUILD [--page docs/results/overlap.md] [--repetitions 3] [--iterations 10]

BUILD is a build tree (build/release; targets tutti tutti_mpi_mpich tutti_mpi_openmpi alltoall_compute-mpich
alltoall_compute-openmpi vcluster_shim). Needs root, for the virtual cluster. Runs alltoall_compute (apps/) natively, under
Tutti, and under Tutti with TUTTI_OVERLAP=on (and TUTTI_TUNE=off, so that every call returns early), in turn. With a page,
the table is written there. About ten minutes on a machine of two cores.
"""

import argparse
import pathlib
import re
import statistics

from on_cluster import MPIS, NAMES, ranks_share_cores_evenly, run_there

BYTES = 4 << 20
SCENARIOS = {"a": (60, 0), "b": (0, 60), "c": (0, 18), "d": (24, 60), "e": (24, 18)}  # T_CURC, T_CRC in ms
WAYS = ("native", "waits", "early")
FIGURES = re.compile(r"call_s=([\d.]+) total_s=([\d.]+) checksum=(\w+) wrong=0")
HEAD = """# What early return hides

<!-- Written by bench/early.py BUILD --page docs/results/overlap.md; edit that. -->

`MPI_Alltoall` of 4 MiB between two nodes with one rank each (virtual cluster, links of 1 Gbit/s), followed by computation
that does not need its data (T_CURC) and computation that does (T_CRC, spread over all of it, in order): the micro-benchmark
of paper 002, Fig. 6, in the scenarios of its Fig. 1. Times are ms per iteration, of the slowest rank, as the median
(minimum–maximum) of the runs. *Waits*: Tutti as it is by default. *Early*: `TUTTI_OVERLAP=on`. *T_init*: time in the call
that returns early. *Hidden*: native less early. *Formula (3)*: min(T_comm − T_init, T_CURC + T_CRC), where T_comm is the
time in the native call; with computation that keeps the core busy it lacks a term for the processor time that the transfer
itself takes there.

"""
NOTES = """
Own blocks count as data here, as in the program: a rank that begins with its own half can compute on it at once, one that
ends with it cannot, so the formula is an upper bound for the slowest rank in b to e.
"""


class Cell:
    def __init__(self):
        self.calls, self.totals = [], []

    def add(self, output, iterations):
        call, total, checksum = FIGURES.search(output).groups()
        self.calls.append(float(call) * 1e3)
        self.totals.append(float(total) * 1e3 / iterations)
        return checksum

    def call(self):
        return statistics.median(self.calls)

    def total(self):
        return statistics.median(self.totals)

    def text(self):
        return f"{self.total():.1f} ({min(self.totals):.1f}–{max(self.totals):.1f})"


def words_of(options, mpi, way, scenario, is_busy):
    curc, crc = SCENARIOS[scenario]
    placed = ["-ppn", "1"] if mpi == "mpich" else ["--map-by", "node"]
    program = [options.build / f"bin/alltoall_compute-{mpi}", "--bytes", BYTES, "--unrelated-ms", curc, "--related-ms", crc,
               "--iterations", options.iterations, *([] if is_busy else ["--sleep"])]
    launch = [MPIS[mpi], "-n", 2, *placed, *program]
    if way == "native":
        return launch
    overlap = ["--set", "OVERLAP=on", "--set", "TUNE=off"] if way == "early" else []
    return [options.build / "bin/tutti", "run", "--report", "none", *overlap, "--", *launch]


def measure(options, mpi, scenario, is_busy):
    cells = {way: Cell() for way in WAYS}
    checksums = set()
    for turn in range(options.repetitions):
        for way in WAYS if turn % 2 == 0 else WAYS[::-1]:
            output = run_there(2, 1, words_of(options, mpi, way, scenario, is_busy))
            checksums.add(cells[way].add(output, options.iterations))
    if len(checksums) != 1:
        raise SystemExit(f"bench/early.py: results differ: {checksums}")
    return cells


def row(mpi, scenario, is_busy, cells):
    curc, crc = SCENARIOS[scenario]
    hidden = cells["native"].total() - cells["early"].total()
    init = cells["early"].call()
    formula = min(cells["native"].call() - init, curc + crc)
    return (f"| {NAMES[mpi]} | {'busy' if is_busy else 'asleep'} | {scenario} | {curc} | {crc} | {cells['native'].text()} | "
            f"{cells['waits'].text()} | {cells['early'].text()} | {init:.1f} | {hidden:.1f} | {formula:.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=10)
    options = parser.parse_args()
    options.build = options.build.resolve()
    lines = ["| MPI | computation | scenario | T_CURC | T_CRC | native | Tutti waits | Tutti early | T_init | hidden | formula (3) |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    print("\n".join(lines), flush=True)
    with ranks_share_cores_evenly():
        for is_busy in (False, True):
            for mpi in MPIS:
                for scenario in SCENARIOS:
                    lines.append(row(mpi, scenario, is_busy, measure(options, mpi, scenario, is_busy)))
                    print(lines[-1], flush=True)
    if options.page:
        options.page.write_text(HEAD + "\n".join(lines) + "\n" + NOTES)


if __name__ == "__main__":
    main()
