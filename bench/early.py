#!/usr/bin/env python3
"""What early return hides (paper 002, section 6): the page docs/results/overlap.md.

    bench/early.py BUILD [--page docs/results/overlap.md] [--only PART] [--repetitions 3]

BUILD is a build tree (build/release; targets tutti tutti_mpi_mpich tutti_mpi_openmpi tutti-guard-costs vcluster_shim, and
all programs of apps/, each with -mpich and -openmpi). Needs root, for the virtual cluster.
Without --page the tables go to the terminal; --only measures one part of them. The ways of serving a program are run in
turn, and all must have the same result. About 25 minutes on a machine of two cores.
"""

import argparse
import os
import pathlib
import time

import early_costs
import early_micro
import early_orders
import early_programs
import early_sites
import page
from on_cluster import ranks_share_cores_evenly

PARTS = {"costs": early_costs, "micro": early_micro, "orders": early_orders, "programs": early_programs,
         "sites": early_sites}
HEAD = """# What early return hides

<!-- Written by bench/early.py BUILD --page docs/results/overlap.md; edit that. -->

A blocking collective that returns before its data is there ([overlap](../overlap.md)), measured on the [virtual
cluster](../howto/virtual-cluster.md), one machine of {cores} cores, links of 1 Gbit/s: nodes × ranks of each, both MPIs,
{runs} of each way in turn, with the same results in all of them. *Native*: the MPI alone. *Tutti waits*: as it
is by default. *Tutti early*: `TUTTI_OVERLAP=on` and `TUTTI_TUNE=off`, so that every call returns early; that each did is
counted in the reports of the runs. {made_by}; it took {minutes:.0f}
minutes. Cells are median (minimum–maximum), in this table over MPIs and scenarios.

| what | measured | asked for |
| --- | --- | --- |
"""


def page_of(results, options, minutes, command):
    summary = [row for name, found in results.items() for row in PARTS[name].summary(found)]
    sections = ["\n".join(PARTS[name].section(found)).rstrip() + "\n" for name, found in results.items()]
    head = HEAD.format(cores=len(os.sched_getaffinity(0)), minutes=minutes,
                       made_by=page.made_by(command), runs="one run" if options.repetitions == 1 else f"{options.repetitions} runs")
    return head + "\n".join(summary) + "\n\n" + "\n".join(sections)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--page", type=pathlib.Path)
    where.add_argument("--only", choices=PARTS)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=4)
    options = parser.parse_args()
    options.build = options.build.resolve()
    begin = time.monotonic()
    with ranks_share_cores_evenly():
        results = {name: part.measure(options) for name, part in PARTS.items() if options.only in (None, name)}
    command = page.with_options("bench/early.py BUILD --page docs/results/overlap.md", parser, options, "repetitions", "iterations")
    text = page_of(results, options, (time.monotonic() - begin) / 60, command)
    if options.page:
        options.page.write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
