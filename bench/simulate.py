#!/usr/bin/env python3
"""How fast `tutti simulate` is, and how much memory it takes; writes docs/results/simulation.md.

    bench/simulate.py BUILD [--runs N] [--page FILE]

BUILD is a folder with bin/tutti. CPU time of one core, which the time of a simulation is; the median of the runs, with the
least and the most. Some minutes.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from page import made_by, table, with_options

ROOT = Path(__file__).resolve().parents[1]
# Name, arguments for `tutti simulate`, required values: million events/s, seconds, GiB.
CELLS = (
    ("static: allreduce by ring, 512 ranks, 1 MiB", "allreduce --algorithm ring --nodes 512 --sizes 1M", 10, None, None),
    ("static: allgather by bruck, 4,096 ranks, 8 bytes", "allgather --algorithm bruck --nodes 4096 --sizes 8", 10, None, None),
    ("static: barrier by dissemination, 4,096 ranks, 20 calls", "barrier --algorithm dissemination --nodes 4096 --calls 20", 10,
     None, None),
    ("late ranks and links: alltoall by pairwise, 256 nodes of 2, 4 KiB, fat tree",
     "alltoall --algorithm pairwise --nodes 256 --ranks-per-node 2 --sizes 4K --machine infiniband --arrivals uniform:100us", 3,
     None, None),
    ("late ranks and memory: bcast by hierarchical, 64 nodes of 16, 1 MiB, 10 calls",
     "bcast --algorithm hierarchical --nodes 64 --ranks-per-node 16 --sizes 1M --machine paper000 --arrivals uniform:1ms "
     "--calls 10", 3, None, None),
    ("bcast by knomial, 1,048,576 ranks, 8 bytes", "bcast --algorithm knomial --nodes 1048576 --sizes 8", None, 5, 4),
    ("barrier by dissemination, 1,048,576 ranks", "barrier --algorithm dissemination --nodes 1048576", None, 5, 4),
    ("alltoall by linear, 2,048 ranks, 8 bytes", "alltoall --algorithm linear --nodes 2048 --sizes 8", None, None, 2),
)
HEAD = """\
# The simulator: speed and memory

<!-- Written by bench/simulate.py; do not edit. -->

CPU time of `tutti simulate` on one core ({cpu}), median (least–most) of {runs} runs, building the schedules included; peak
memory of the process. An event is something that happens to a CPU, a NIC, a link or a message. What it simulates, and how it is
known to be right: [simulation](../simulation.md). {made_by}.

"""


def run(tutti, words):
    """CPU seconds, GiB, events."""
    process = subprocess.Popen([tutti, "simulate", *words.split(), "--json", "-"], stdout=subprocess.PIPE, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"tutti simulate {words}: status {process.returncode}")
    events = sum(cell["events"] for cell in json.loads(output)["cells"])
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 2**20, events


def spread(values, form):
    return f"{form(statistics.median(values))} ({form(min(values))}–{form(max(values))})"


def row(name, asked, runs):
    rate, seconds, gib = asked
    rates = [events / time / 1e6 for time, _, events in runs]
    wanted = [text for value, text in ((rate, f"≥ {rate} M/s"), (seconds, f"< {seconds} s"), (gib, f"< {gib} GiB")) if value]
    missed = (rate and statistics.median(rates) < rate or seconds and statistics.median(time for time, *_ in runs) > seconds
              or gib and max(memory for _, memory, _ in runs) > gib)
    return [name, f"{runs[0][2] / 1e6:.1f} M", spread([time for time, *_ in runs], lambda x: f"{x:.2f}"),
            spread(rates, lambda x: f"{x:.1f}"), f"{max(memory for _, memory, _ in runs):.2f}", ", ".join(wanted),
            "*missed*" if missed else "yes"]


def cpu_name():
    names = [line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    return names[0] if names else "unknown"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--page", type=Path, default=ROOT / "docs/results/simulation.md")
    options = parser.parse_args()
    rows = []
    for name, words, *asked in CELLS:
        rows.append(row(name, asked, [run(str(options.build / "bin/tutti"), words) for _ in range(options.runs)]))
        print(" | ".join(rows[-1]), file=sys.stderr)
    head = HEAD.format(cpu=cpu_name(), runs=options.runs, made_by=made_by(with_options("bench/simulate.py BUILD", parser, options, "runs")))
    options.page.write_text(head + table(("", "events", "CPU s", "million events/s", "GiB", "asked for", "reached"), rows))


if __name__ == "__main__":
    main()
