#!/usr/bin/env python3
"""The page docs/results/nbc-sia.md and its figures: nonblocking collectives beside a computation, on the virtual cluster.

    bench/overlap.py BUILD [--output docs/results/nbc-sia.md] [--quick] [--keep FOLDER [--only REGEX] | --from FOLDER]

BUILD is a build tree (build/release). Needs root, for the virtual cluster; about an hour on a machine of two cores,
a quarter of one with --quick (three repetitions, fewer sizes). --keep leaves the measurements as JSON in FOLDER; with --only
nothing is done but to measure what matches, as in --only 'mpich.2x1'; --from writes the page from such a folder and
measures nothing. What is measured how: `tutti bench --overlap --help` and bench/overlap/measure.hpp.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import sys
import tempfile

from on_cluster import MPIS, ROOT, bench, ranks_share_cores_evenly
from overlap_page import write_page
from page import with_options

SHAPES = {"2x1": (2, 1), "4x2": (4, 2)}
# All ranks compute on the cores of one machine.
CORES = len(os.sched_getaffinity(0))
VECTORS = ["bcast", "allreduce"]
BLOCKS = ["allgather", "alltoall"]
SIZES = {"2x1": "64K,256K,1M,4M,16M", "4x2": "64K,256K,1M,4M"}
BLOCK_SIZES = {"2x1": "64K,256K,1M,4M,16M", "4x2": "64K,256K,1M"}
# Calls of eight ranks that last half a second and more, beside the computation that shows most. Of eight ranks each
# sends or gets eight blocks: 2 MiB of them are 16 MiB.
LONG_SIZES = {"vectors": "16M", "blocks": "2M"}
QUICK_SIZES = "64K,1M"
# The targets are measured with the progress thread and the algorithms of the rules, and with the own choice of every
# call site among progress modes, algorithms and the native MPI. The budget suffices to find the choice within the
# warm-up.
THREAD = {"TUTTI_TUNE": "off"}
OWN_CHOICE = {"TUTTI_TUNE": "all", "TUTTI_TUNE_BUDGET": "1000"}
OWN_CHOICE_CALLS = 80
# Paper 001, section 4: one vector product, whatever the size of the message.
PAPER_SIZES = "1K,4K,16K,64K,256K,1M"
PAPER_LENGTHS = "100000,5000000"
# Settings of the runs that figures 8 to 11 compare. Without progress is the native side of each run.
PAPER_SETTINGS = {"linear": {"TUTTI_ALLTOALL": "linear"}, "bruck": {"TUTTI_ALLTOALL": "bruck"},
                  "ring": {"TUTTI_ALLTOALL": "ring"}, "own choice": {"TUTTI_TUNE": "all"}}


class Runs:
    """Runs of `tutti bench --overlap`, each kept as NAME.json."""

    def __init__(self, build, folder, quick, only):
        self.build, self.folder, self.quick, self.only = build, folder, quick, re.compile(only)
        self.repetitions = 3 if quick else 10

    def run(self, name, mpi, shape, collectives, sizes, more=(), settings=None):
        nodes, ranks_per_node = SHAPES[shape]
        file = self.folder / f"{name}.{mpi}.{shape}.json"
        if not self.only.search(file.stem):
            return
        words = ["--overlap", *collectives, "--sizes", QUICK_SIZES if self.quick else sizes, "--cores", CORES,
                 "--repetitions", self.repetitions, "--json", file, *more]
        bench(self.build, mpi, nodes, ranks_per_node, words, {**THREAD, **(settings or {})})
        print(file.name, flush=True)

    def limits(self, mpi, shape):
        """The runs with targets: asleep and busy, all sizes."""
        both = ["--computation", "asleep,busy", "--vector-length", "100000"]
        self.run("vectors", mpi, shape, VECTORS, SIZES[shape], both)
        self.run("blocks", mpi, shape, BLOCKS, BLOCK_SIZES[shape], both)
        if shape == "4x2":
            self.run("long vectors", mpi, shape, VECTORS, LONG_SIZES["vectors"], ["--computation", "asleep"])
            self.run("long blocks", mpi, shape, BLOCKS, LONG_SIZES["blocks"], ["--computation", "asleep"])
        both += ["--warm-up", OWN_CHOICE_CALLS]
        self.run("own vectors", mpi, shape, VECTORS, SIZES[shape], both, OWN_CHOICE)
        self.run("own blocks", mpi, shape, BLOCKS, BLOCK_SIZES[shape], both, OWN_CHOICE)

    def paper(self, mpi):
        """Figures 6 to 11: alltoall with a constant computation, by implementation."""
        for name, settings in PAPER_SETTINGS.items():
            self.run(f"paper {name}", mpi, "2x1", ["alltoall"], PAPER_SIZES,
                     ["--computation", "busy", "--products", "1", "--vector-length", PAPER_LENGTHS, "--openmp",
                      *(["--warm-up", 100] if name == "own choice" else [])],
                     {"OMP_NUM_THREADS": str(CORES), "OMP_WAIT_POLICY": "passive", **settings})

    def own_thread(self):
        """MPICH with the progress thread that it brings (Open MPI 4 has none)."""
        self.run("own thread", "mpich", "2x1", ["alltoall"], PAPER_SIZES, ["--computation", "asleep,busy"],
                 {"MPIR_CVAR_ASYNC_PROGRESS": "1", "TUTTI": "0"})

    def all(self):
        for mpi in MPIS:
            for shape in SHAPES:
                self.limits(mpi, shape)
            self.run("small", mpi, "2x1", ["alltoall"], PAPER_SIZES, ["--computation", "asleep"])
            self.paper(mpi)
        self.own_thread()


def load(folder):
    """{(name, mpi, shape): what the run wrote}."""
    runs = {tuple(file.stem.rsplit(".", 2)): json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))}
    if not runs:
        sys.exit(f"overlap.py: no measurements in {folder}")
    return runs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path, nargs="?", help="a build tree, like build/release")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs/results/nbc-sia.md")
    parser.add_argument("--quick", action="store_true", help="three repetitions of few sizes, to try the command")
    parser.add_argument("--keep", type=pathlib.Path, help="leave the measurements in this folder")
    parser.add_argument("--only", default="", help="measure what matches, and write no page")
    parser.add_argument("--from", dest="measured", type=pathlib.Path, help="measure nothing; take this folder")
    options = parser.parse_args()
    command = with_options("bench/overlap.py BUILD", parser, options, "quick")
    if options.measured:
        write_page(load(options.measured), options.output, command)
        return
    if options.build is None:
        parser.error("which build tree?")
    with contextlib.ExitStack() as stack:
        folder = options.keep or pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        stack.enter_context(ranks_share_cores_evenly())
        Runs(options.build.resolve(), folder, options.quick, options.only).all()
        if not options.only:
            write_page(load(folder), options.output, command)
            print(f"wrote {options.output}")


if __name__ == "__main__":
    main()
