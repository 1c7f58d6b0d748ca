#!/usr/bin/env python3
"""What early return hides (paper 002, section 6): the page docs/results/overlap.md.

    bench/early.py BUILD [--page docs/results/overlap.md] [--only PART ...] [--repetitions 3]

BUILD is a build tree (build/release; targets tutti tutti_mpi_mpich tutti_mpi_openmpi tutti-guard-costs vcluster_shim, and
all programs of apps/, each with -mpich and -openmpi). Needs root, for the virtual cluster.
The tables go to the terminal, and with --page there, too; --only measures one part of them, and what else is in the page stays.
The ways of serving a program are run in turn, and all must have the same result. About 25 minutes on a machine of two cores.
"""

import argparse
import os
import pathlib

import early_costs
import early_micro
import early_orders
import early_programs
import early_sites
import page
from on_cluster import ranks_share_cores_evenly

PARTS = {"costs": early_costs, "micro": early_micro, "orders": early_orders, "programs": early_programs,
         "sites": early_sites}
# The options that say how often each part measures.
OFTEN = {"costs": (), "micro": ("repetitions", "iterations"), "orders": ("repetitions", "iterations"), "programs": ("repetitions",),
         "sites": ("repetitions",)}
TITLES = {name: part.TITLE for name, part in PARTS.items()}
HEAD = """# What early return hides

<!-- Written by bench/early.py; do not edit. -->

A blocking collective that returns before its data is there ([overlap](../overlap.md)), measured on the [virtual
cluster](../howto/virtual-cluster.md), one machine of {cores} cores, links of 1 Gbit/s: nodes × ranks of each, both MPIs,
runs of each way in turn, with the same results in all of them. *Native*: the MPI alone. *Tutti waits*: as it
is by default. *Tutti early*: `TUTTI_OVERLAP=on` and `TUTTI_TUNE=off`, so that every call returns early; that each did is
counted in the reports of the runs. Cells are median (minimum–maximum); in the first table of each section over MPIs and scenarios.

"""
SUMMARY = ["| what | measured | asked for |", "| --- | --- | --- |"]


def text_of(part, found, options):
    """Of a section: how often it was measured, what is asked for, and the rest."""
    runs = "One run" if options.repetitions == 1 else f"{options.repetitions} runs"
    counted = [] if part is early_costs else [f"{runs} of each way.", ""]
    return "\n".join([*counted, *SUMMARY, *part.summary(found), "", *part.section(found)]).rstrip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path, help="write it there; parts that are not measured stay as they are")
    parser.add_argument("--only", choices=PARTS, action="append")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=4)
    options = parser.parse_args()
    options.build = options.build.resolve()
    with ranks_share_cores_evenly():
        for name in options.only or PARTS:
            text = text_of(PARTS[name], PARTS[name].measure(options), options)
            command = page.with_options(f"bench/early.py BUILD --only {name}", parser, options, *OFTEN[name])
            print(f"## {TITLES[name]}\n\n{page.made_by(command)}.\n\n{text}", flush=True)
            if options.page:
                head = HEAD.format(cores=len(os.sched_getaffinity(0)))
                page.write_section(options.page, head, TITLES, name, text, command)


if __name__ == "__main__":
    main()
