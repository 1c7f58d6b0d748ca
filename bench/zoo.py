#!/usr/bin/env python3
"""The page docs/results/zoo.md: native and Tutti as it comes, in every shape of the zoo in which time means something.

    bench/zoo.py BUILD [--quick] [--shapes bound,memory] [--collectives bcast,alltoall] [--mpi openmpi] [--output FILE]

BUILD is a build tree (build/release; targets tutti, tutti_mpi_*, tutti-bench-cells-*, asp-*, vcc-*, fft3d-*). As root, for
all shapes; about 25 minutes on a quiet machine of two cores.

Native runs have the MPI alone, in the same environment; runs of both kinds follow each other, each in processes of its own.
A cell is a collective of a size, or a program. It fails where Tutti's median is more than 1.1 times the native one, unless
the report of Tutti's runs says that the MPI's own code served all calls and the ranges overlap. Cells that fail are measured
again with more runs, at once and, where that does not help, when all else has been measured: a host is busy for a while. All
runs count. The exit status is 1 where a cell fails, a run does not end well, or a shape does not
hold. Without --output a part of the whole (--quick, --shapes, --collectives, --mpi) is printed and not written.
"""

import argparse
import json
import os
import pathlib
import re
import sys
import tempfile

import served
from on_cluster import MPIS, NAMES, ROOT, ranks_share_cores_evenly
from zoo_cells import Cell
from zoo_page import write_page

sys.path.insert(0, str(ROOT / "tools"))
from vclusterlib.errors import VclusterError  # noqa: E402
from zoolib import jobs  # noqa: E402
from zoolib.shapes import SHAPES  # noqa: E402
from zoolib.traits import Links  # noqa: E402

# Bytes of the message or the vector, and of a block: four sizes.
VECTORS = {"bcast", "reduce", "allreduce", "reduce_scatter"}
COLLECTIVES = ["bcast", "reduce", "allreduce", "reduce_scatter", "allgather", "alltoall", "gather", "scatter"]
SIZES = {True: (8, 4096, 256 << 10, 4 << 20), False: (8, 4096, 64 << 10, 256 << 10)}
SLOW_LINKS = {"link_100mbit": {True: (8, 4096, 64 << 10, 1 << 20), False: (8, 4096, 16 << 10, 64 << 10)}}
PROGRAMS = {"asp": ("--vertices", 600), "vcc": ("--vertices", 1000), "fft3d": ("--log2-side", 6, "--repeat", 3)}
# Shapes in which a program's computation shares the core with few others.
WITH_PROGRAMS = ("bound", "unbound", "shared", "quota", "memory", "link_1gbit", "link_10gbit")
LIMIT_S = 150
# Rounds per invocation. In calls of less than a microsecond both sides have two modes, and few runs meet both.
MOST_ROUNDS = 4


class Failed(Exception):
    """A run did not end well, or not as it claims."""


class Bench:
    """One MPI in one shape."""

    def __init__(self, options, shape, mpi):
        self.options, self.shape, self.mpi = options, shape, mpi
        self.job = jobs.Job(shape, mpi, shape.ranks)
        self.cells = {(one, size): Cell(one, size) for one in options.collectives for size in self.sizes_of(one)}
        self.programs = {name: Cell(name, None) for name in PROGRAMS if shape.name in WITH_PROGRAMS and not options.no_programs}
        self.faults = []

    def sizes_of(self, collective):
        if collective == "barrier":
            return (8,)
        sizes = SLOW_LINKS.get(self.shape.name, SIZES)[collective in VECTORS]
        # Each rank gets a double at least.
        return [max(size, 8 * self.shape.ranks) for size in sizes] if collective == "reduce_scatter" else sizes

    def measure(self):
        self.faults += jobs.faults_of(self.shape, self.mpi)
        self.measure_rounds(is_first=True)

    def measure_rounds(self, is_first=False):
        """Everything, or again what fails."""
        for turn in range(MOST_ROUNDS if not self.options.quick else 1):
            is_for_all = is_first and turn == 0
            cells = [key for key, cell in self.cells.items() if is_for_all or not cell.holds()]
            programs = [name for name, cell in self.programs.items() if is_for_all or not cell.holds()]
            for pair in range(1 if self.options.quick else 3):
                for is_native in (True, False) if pair % 2 == 0 else (False, True):
                    self.attempt(cells, is_native, self.run_cells)
                    for name in programs:
                        self.attempt(name, is_native, self.run_program)

    def attempt(self, what, is_native, run):
        if not what:
            return
        with tempfile.TemporaryDirectory(prefix="tutti-zoo-") as folder:
            try:
                run(what, is_native, pathlib.Path(folder))
            except Failed as fault:
                self.faults.append(str(fault))
                print(f"    {fault}", flush=True)

    def run(self, program, is_native, report):
        """Natively, or under Tutti with its report to a file or `memory`."""
        under = () if is_native else (self.options.build / "bin/tutti", "run", "--report", report, "--")
        ended = self.job.run(program, LIMIT_S, under)
        if ended.status != 0:
            raise Failed(f"{'native' if is_native else 'Tutti'}: {pathlib.Path(program[0]).name} {ended.said()}: "
                         + " / ".join(ended.last()))
        return ended

    def run_cells(self, keys, is_native, folder):
        program = [self.options.build / f"bin/tutti-bench-cells-{self.mpi}", folder / "cells.json",
                   *(f"{collective}:{size}" for collective, size in keys)]
        self.run(program, is_native, "memory")
        document = json.loads((folder / "cells.json").read_text())
        if document["is_loaded"] == is_native or document["ranks"] != self.shape.ranks:
            raise Failed(f"Tutti is {'' if document['is_loaded'] else 'not '}loaded, {document['ranks']} ranks")
        found = {(row["collective"], row["bytes"]): row for row in document["cells"]}
        for key in keys:
            row = found.get(key)
            if row is None or not row["right"] or (not is_native and not row["served"]):
                raise Failed(f"{key[0]} of {key[1]} bytes: " + ("not measured" if row is None else "wrong result"
                                                                if not row["right"] else "not in Tutti's report"))
            self.cells[key].add(is_native, row["us"], row["cpu_us"], row["served"])

    def run_program(self, name, is_native, folder):
        report = folder / "report.json"
        ended = self.run([self.options.build / f"bin/{name}-{self.mpi}", *PROGRAMS[name], "--no-verify"], is_native, report)
        total = re.search(r"total_s=([\d.]+) .*checksum=(\w+)", ended.stdout)
        if total is None or (not is_native and not report.exists()):
            raise Failed(f"{name}: " + ("no time in its output" if total is None else "Tutti left no report"))
        by_choice = {} if is_native else served.in_report(report)
        # Launchers' daemons on nodes do not tell what their ranks took.
        cpu_us = [] if self.shape.trait(Links) else [ended.cpu_seconds * 1e6]
        self.programs[name].add(is_native, [float(total[1]) * 1e6], cpu_us, by_choice)
        if not self.programs[name].has_result(total[2]):
            raise Failed(f"{name}: another result than before")

    def all_cells(self):
        return [cell for cell in (*self.cells.values(), *self.programs.values()) if cell.is_measured()]

    def failing(self):
        return [cell for cell in self.all_cells() if not cell.holds()]

    def said(self):
        cells, failing = self.all_cells(), self.failing()
        return "\n    ".join([f"    {len(cells) - len(failing)} of {len(cells)} cells hold",
                              *(cell.said() for cell in failing), *self.faults])


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)

    def listed(known):
        def convert(text):
            if unknown := set(text.split(",")) - set(known):
                raise argparse.ArgumentTypeError(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(known)}")
            return text.split(",")
        return convert

    timed = [name for name, shape in SHAPES.items() if shape.is_timed]
    parser.add_argument("build", type=lambda text: pathlib.Path(text).resolve(), help="a build tree, like build/release")
    parser.add_argument("--shapes", type=listed(timed), help="only these")
    parser.add_argument("--collectives", type=listed([*COLLECTIVES, "barrier"]), help="only these")
    parser.add_argument("--mpi", dest="mpis", type=listed(MPIS), help="only this one")
    parser.add_argument("--no-programs", action="store_true", help="collectives only")
    parser.add_argument("--quick", action="store_true", help="one run of each kind, to try the command")
    parser.add_argument("--output", type=pathlib.Path, help="the page (docs/results/zoo.md)")
    options = parser.parse_args()
    is_whole = not (options.shapes or options.collectives or options.mpis or options.no_programs or options.quick)
    options.output = options.output or (ROOT / "docs/results/zoo.md" if is_whole else None)
    options.shapes, options.collectives = options.shapes or timed, options.collectives or COLLECTIVES
    options.mpis = options.mpis or list(MPIS)
    return options


def main():
    options, done, missing, load = parse(), [], {}, os.getloadavg()[0]
    with ranks_share_cores_evenly():
        for name in options.shapes:
            try:
                SHAPES[name].require()
            except VclusterError as error:
                missing[name] = str(error)
                print(f"{name}: not here: {error}", flush=True)
                continue
            for mpi in options.mpis:
                print(f"{name} {NAMES[mpi]}", flush=True)
                bench = Bench(options, SHAPES[name], mpi)
                bench.measure()
                done.append(bench)
                print(bench.said(), flush=True)
        for bench in done:
            if bench.failing() and not options.quick:
                print(f"{bench.shape.name} {NAMES[bench.mpi]}, again", flush=True)
                bench.measure_rounds()
                print(bench.said(), flush=True)
    if options.output:
        write_page(options.output, done, missing, load)
        print(f"wrote {options.output}")
    return int(any(bench.failing() or bench.faults or not bench.all_cells() for bench in done))


if __name__ == "__main__":
    sys.exit(main())
