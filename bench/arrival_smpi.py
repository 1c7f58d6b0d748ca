#!/usr/bin/env python3
"""Figures 18 to 21 of paper 000 in virtual time: competitive pipelined broadcasts beside the broadcasts of other MPIs, as
SimGrid's SMPI has them; writes docs/results/arrival-smpi.md.

    bench/arrival_smpi.py BUILD [--page FILE]

BUILD is a folder with bin/tutti. Needs smpicc and smpirun (Debian: simgrid, libsimgrid-dev). Nothing is measured: the values are
the same on every machine. Some minutes.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from command import output_of
from page import made_by
from smpi import NODES, RANKS_PER_NODE, prepare, smpi_seconds, version

ROOT = Path(__file__).resolve().parents[1]
KS_MS = (0, 0.5)
SHORT, LONG = (1, 1000, 8000), (64000, 256000, 1000000, 4000000)
CALLS = {SHORT: 200, LONG: 20}
# Tutti's algorithm between nodes for each group of sizes (paper 000 §4.1.2).
INTER = {SHORT: "knomial", LONG: "ringaas"}
SELECTORS = ("mvapich2", "mpich", "ompi")
FORCED = ("binomial_tree", "scatter_rdb_allgather", "SMP_binomial")
HEAD = """\
# Late processes in a broadcast, beside other MPIs in virtual time

<!-- Written by bench/arrival_smpi.py; do not edit. -->

Figures 18 to 21 of paper 000 at their size, {nodes} nodes of {per_node} processes: its pipelined two-level broadcast (`P`) and that
with competition (`CP`) by `tutti simulate` on the machine `paper000`, beside the broadcasts of MVAPICH2, MPICH and Open MPI as
SimGrid's SMPI chooses them ({version}), and single algorithms of it, on the same platform ([how well the two agree](smpi.md)).
Greatest mean time of a process in the call (Definition 2), in µs; processes arrive at random in [0, k]. `floor`: nobody can
leave before the root has come, k/6 on average. Nothing is measured.
{made_by}.

| statement of the paper (§4.1.2) | here |
|---|---|
| k = 0, below 1 MB: about as fast as MVAPICH2 | CP takes {balanced_short} of the time of the `mvapich2` selector, 1 to 8,000 bytes |
| k = 0, above 1 MB: 168 to 258 % of its speed | {balanced_long} of its speed at 1 and 4 MB; {flat_long} of that of the best flat algorithm |
| k = 0.5 ms, short: much faster, by competition | CP takes {late_short} of the time of the `mvapich2` selector, 1 to 8,000 bytes |
| k = 0.5 ms, long: faster, by the pipeline | {late_long} of its speed at 1 and 4 MB; {flat_late} of that of the best flat algorithm |
"""
TAIL = """
SMPI's `mvapich2` selector is a newer one than the paper's MVAPICH2 1.2, whose broadcast of long messages was flat: the gain over
flat ones is larger than the paper's, that over a two-level one smaller.
"""
FLAT = ("binomial_tree", "scatter_rdb_allgather")


def smpi_us(folder, setting, k_ms, sizes):
    return [time * 1e6 for time in smpi_seconds(folder, setting, [k_ms / 1000, CALLS[sizes]], sizes)]


def our_us(options, leader, k_ms, sizes):
    words = ["simulate", "bcast", "--algorithm", f"hierarchical:inter={INTER[sizes]}", "--machine", "paper000", "--nodes", NODES,
             "--ranks-per-node", RANKS_PER_NODE, "--sizes", ",".join(map(str, sizes)), "--leader", leader, "--json", "-"]
    words += ["--arrivals", f"uniform:{k_ms * 1000:.0f}us", "--calls", CALLS[sizes]] if k_ms else []
    return [cell["slowest_ns"] / 1000 for cell in json.loads(output_of([options.build / "bin/tutti", *words]))["cells"]]


def measured(options, folder):
    """By name and k: µs by size."""
    ways = {"P": lambda k, sizes: our_us(options, "fixed", k, sizes), "CP": lambda k, sizes: our_us(options, "first", k, sizes)}
    for name in SELECTORS:
        ways[f"`{name}`"] = lambda k, sizes, name=name: smpi_us(folder, f"smpi/coll-selector:{name}", k, sizes)
    for name in FORCED:
        ways[f"`{name}` alone"] = lambda k, sizes, name=name: smpi_us(folder, f"smpi/bcast:{name}", k, sizes)
    found = {}
    for name, way in ways.items():
        for k in KS_MS:
            found[name, k] = {size: time for sizes in (SHORT, LONG) for size, time in zip(sizes, way(k, sizes))}
            print(name, k, found[name, k], file=sys.stderr)
    return found


def span(values, scale="{:.2f}"):
    least, most = min(values), max(values)
    return scale.format(least) if scale.format(least) == scale.format(most) else f"{scale.format(least)} to {scale.format(most)}"


def statements(found):
    def ratios(k, sizes, names):
        return [min(found[name, k][size] for name in names) / found["CP", k][size] for size in sizes]

    mvapich2, flat, largest = ["`mvapich2`"], [f"`{name}` alone" for name in FLAT], (1000000, 4000000)
    return {"balanced_short": span([1 / one for one in ratios(0, SHORT, mvapich2)]),
            "late_short": span([1 / one for one in ratios(0.5, SHORT, mvapich2)]),
            "balanced_long": span(ratios(0, largest, mvapich2), "{:.0%}"), "flat_long": span(ratios(0, largest, flat), "{:.0%}"),
            "late_long": span(ratios(0.5, largest, mvapich2), "{:.0%}"), "flat_late": span(ratios(0.5, largest, flat), "{:.0%}")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--page", type=Path, default=ROOT / "docs/results/arrival-smpi.md")
    options = parser.parse_args()
    options.build = options.build.resolve()
    with tempfile.TemporaryDirectory() as name:
        prepare(Path(name), "late_bcast")
        found = measured(options, Path(name))
    text = HEAD.format(version=version(), made_by=made_by("bench/arrival_smpi.py BUILD"), nodes=NODES, per_node=RANKS_PER_NODE, **statements(found))
    for number, k, sizes in ((18, 0, SHORT), (19, 0.5, SHORT), (20, 0, LONG), (21, 0.5, LONG)):
        rows = [["", *(f"{size:,}" for size in sizes)], ["---"] * (len(sizes) + 1)]
        rows += [[name, *(f"{times[size]:.1f}" for size in sizes)] for (name, one), times in found.items() if one == k]
        text += f"\n## Figure {number}: k = {k} ms" + (f", floor {k * 1000 / 6:.0f} µs" if k else "") + "\n\n"
        text += "".join("| " + " | ".join(row) + " |\n" for row in rows)
    options.page.write_text(text + TAIL)


if __name__ == "__main__":
    main()
