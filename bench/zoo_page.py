"""The page of bench/zoo.py."""

import os

from on_cluster import NAMES
from page import made_by, table
from zoo_cells import MOST_RATIO

HEAD = """\
# Native and Tutti in many shapes of machines

<!-- Written by bench/zoo.py; do not edit. -->

{made_by}, {cpus} processors, load average before
{load}. Instrument: [the zoo of machines](../howto/zoo.md). Both sides as they come: the MPI alone, and Tutti with its default
settings, each in processes of its own, in turn. A run counts by the median of its calls, of the slowest rank, after three calls; the table has the median
(minimum–maximum) of the runs, in µs. CPU: processor time of all ranks inside the call, Tutti's as a part of the native one; for
programs of the whole job. Served: calls of Tutti's runs, trials of run-time selection included, that an algorithm of Tutti's
served; *same code*: the MPI served all.

A cell shall be at most {most}; one of the same code holds, too, where the ranges of both sides overlap. Cells that miss it in
**bold** have been measured again.

"""
COLUMNS = ("", "size", "native", "Tutti", "ratio", "CPU", "served")


def _summary(done, missing):
    rows = []
    for bench in done:
        cells, failing = bench.all_cells(), bench.failing()
        worst = max(cells, key=lambda cell: cell.ratio() if not cell.is_same_code() else 0, default=None)
        served = sum(not cell.is_same_code() for cell in cells)
        rows.append([f"`{bench.shape.name}`", NAMES[bench.mpi], f"{len(cells) - len(failing)} of {len(cells)}",
                     "–" if worst is None or worst.is_same_code() else f"{worst.ratio():.2f} ({worst.name} {worst.size_said()})".replace(" )", ")"),
                     served, "; ".join(bench.faults) or "–"])
    text = table(("shape", "MPI", "cells that hold", "worst that Tutti served", "cells with served calls", "faults"), rows)
    return "## In short\n\n" + text + "".join(f"\n`{name}` cannot be had on this machine: {reason}.\n" for name, reason in missing.items())


def _section(bench):
    return (f"## `{bench.shape.name}`, {NAMES[bench.mpi]}\n\n{bench.shape.ranks} ranks: {bench.shape.summary}.\n\n"
            + table(COLUMNS, [cell.row() for cell in bench.all_cells()]))


def write_page(path, done, missing, load):
    head = HEAD.format(made_by=made_by("bench/zoo.py BUILD"), cpus=os.cpu_count(), most=MOST_RATIO, load=f"{load:.1f}")
    path.write_text(head + "\n".join([_summary(done, missing), *map(_section, done)]))
