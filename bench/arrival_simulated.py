#!/usr/bin/env python3
"""Figures 12 to 17 of paper 000 in virtual time, with `tutti simulate`, and writes docs/results/arrival-simulated.md.

    bench/arrival_simulated.py BUILD [--calls N] [--page FILE]

BUILD is a folder with bin/tutti. Nothing is measured: the values are the same on every machine. Some minutes with the default
number of calls.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from page import made_by, table

ROOT = Path(__file__).resolve().parents[1]
KS_MS = (0, 0.5, 1)
SMALL = ("1", "8", "64", "512", "1000", "4000", "8000", "12000")
LONG = ("16000", "64000", "256000", "1000000", "4000000")
# The paper's name, its figure for 4 and 8 processes per node, nodes, algorithm between nodes, sizes.
FIGURES = (
    ("BT", (12, 13), 16, "knomial", SMALL),
    ("RDAAS", (14, 15), 16, "rdaas", LONG),
    ("RingAAS", (16, 17), 10, "ringaas", LONG),
)
HEAD = """\
# Late processes in a broadcast, in virtual time

<!-- Written by bench/arrival_simulated.py; do not edit. -->

Figures 12 to 17 of paper 000 at its own size, which no machine here has: pipelined two-level broadcasts (`P`) beside the same
with competition (`CP`) and with agents, on the machine `paper000` ([where its numbers come from](../simulation.md#machines)).
Greatest mean time of a process in the call (Definition 2), in µs, over {calls} calls (a twentieth of them for
long messages); processes arrive at random in [0, k].
`floor`: nobody can leave before the root has come, k/6 on average.
{made_by}.

{summary}
"""
STATEMENTS = """\
## What the paper says of them

| statement (§4.1.1) | here |
|---|---|
| Late processes hold up a pipelined broadcast badly | k = 0.5 ms adds {p_adds} µs to one byte by BT on 16 × 8, of which {floor} nobody can avoid |
| Competition improves that markedly | it leaves {cp_adds} of them |
| The more processes a node has, the more it gains | 4 on a node: {gain4}, 8 on a node: {gain8} of P's time, one byte by BT, k = 0.5 ms |
| Long messages, whose time is far above k, gain little | 4,000,000 bytes by RingAAS, 10 × 8: {long} of P's time at k = 0.5 ms |
"""


def simulate(tutti, words):
    ended = subprocess.run([tutti, "simulate", *words, "--json", "-"], capture_output=True, text=True, timeout=3600)
    if ended.returncode != 0:
        sys.exit(f"tutti simulate {' '.join(words)}: {ended.stderr.strip()}")
    return json.loads(ended.stdout)["cells"]


def times(options, nodes, per_node, inter, sizes, k_ms):
    """By bytes and leader, in microseconds; of one call where all come at once, since all calls are the same."""
    algorithm = f"hierarchical:inter={inter}"
    words = ["bcast", "--machine", "paper000", "--nodes", str(nodes), "--ranks-per-node", str(per_node), "--algorithm",
             algorithm, "--sizes", ",".join(sizes), "--leader", "fixed,first,agent"]
    calls = options.calls if sizes is SMALL else max(options.calls // 20, 1)  # a maximum over ranks follows noise
    words += ["--arrivals", f"uniform:{k_ms * 1000:.0f}us", "--calls", str(calls)] if k_ms else []
    return {(cell["bytes"], cell["leader"]): cell["slowest_ns"] / 1000
            for cell in simulate(str(options.build / "bin/tutti"), words) if "slowest_ns" in cell}


def figure(name, number, nodes, per_node, sizes, by_k):
    rows = []
    for size in map(int, sizes):
        row = [f"{size:,}"]
        for k in KS_MS:
            row += [f"{by_k[k][size, leader]:.1f}" for leader in ("fixed", "first", "agent")]
        rows.append(row)
    head = ["bytes"] + [f"{which} k={k}" for k in KS_MS for which in ("P", "CP", "agent")]
    floors = ", ".join(f"{k * 1000 / 6:.0f} µs at k = {k} ms" for k in KS_MS if k)
    return (f"\n## Figure {number}: {name}, {nodes} nodes of {per_node} processes\n\nFloor: {floors}.\n\n"
            + table(head, rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--page", type=Path, default=ROOT / "docs/results/arrival-simulated.md")
    options = parser.parse_args()
    pages, found = [], {}
    for name, numbers, nodes, inter, sizes in FIGURES:
        for number, per_node in zip(numbers, (4, 8)):
            by_k = {k: times(options, nodes, per_node, inter, sizes, k) for k in KS_MS}
            found[name, per_node] = by_k
            pages.append(figure(name, number, nodes, per_node, sizes, by_k))
            print(f"figure {number}", file=sys.stderr)
    bt4, bt8, ring8 = found["BT", 4], found["BT", 8], found["RingAAS", 8]
    summary = table(
        ["", "P", "CP", "agents", "floor + balanced"],
        [[f"BT, 16 × {per_node}, {size:,} bytes, k = 0.5 ms",
          *(f"{by_k[0.5][size, leader]:.0f}" for leader in ("fixed", "first", "agent")),
          f"{500 / 6 + by_k[0][size, 'first']:.0f}"]
         for per_node, by_k in ((4, bt4), (8, bt8)) for size in (1, 1000, 8000)])
    text = HEAD.format(calls=options.calls, made_by=made_by(f"bench/arrival_simulated.py BUILD --calls {options.calls}"), summary=summary) + STATEMENTS.format(
        p_adds=f"{bt8[0.5][1, 'fixed'] - bt8[0][1, 'fixed']:.0f}",
        cp_adds=f"{bt8[0.5][1, 'first'] - bt8[0][1, 'first']:.0f}", floor=f"{500 / 6:.0f}",
        gain4=f"{bt4[0.5][1, 'first'] / bt4[0.5][1, 'fixed']:.2f}",
        gain8=f"{bt8[0.5][1, 'first'] / bt8[0.5][1, 'fixed']:.2f}",
        long=f"{ring8[0.5][4000000, 'first'] / ring8[0.5][4000000, 'fixed']:.2f}") + "".join(pages)
    options.page.write_text(text)


if __name__ == "__main__":
    main()
