#!/usr/bin/env python3
"""Bytes on cables and virtual time of the catalogue's newer shapes beside older ones; writes docs/results/shapes.md.

    bench/shapes.py BUILD [--time] [--page FILE]

BUILD is a folder with bin/tutti. Nothing is measured: the values are the same on every machine. Ten minutes; with --time, virtual
time of all, an hour more.
"""

import argparse
import itertools
import json
import random
import re
import statistics
import sys
from pathlib import Path

from command import output_of
from page import made_by

ROOT = Path(__file__).resolve().parents[1]
RANKS = 1024
# Collective, new, the older one with the same rounds, bytes for traffic (of the message, vector or block), for time.
PAIRS = (
    ("bcast", "bine", "knomial", "64K", ("8", "64K")),
    ("reduce", "bine", "knomial", "64K", ("8", "64K")),
    ("allreduce", "bine", "rabenseifner", "64K", ("64K", "4M")),
    ("allgather", "bine", "recursive_doubling", "64", ("8", "1K")),
    ("reduce_scatter", "bine", "recursive_halving", "64K", ("64K", "4M")),
    ("gather", "bine", "binomial", "64", ("8", "1K")),
    ("scatter", "bine", "binomial", "64", ("8", "1K")),
    ("allgather", "pat", "bruck", "64", ("8", "1K")),
    ("reduce_scatter", "pat", "recursive_halving", "64K", ("64K", "4M")),
)
# A network, and its places.
NETWORKS = (("torus:1024x1x1", 1024), ("torus:16x8x8", 1024), ("fat-tree:24", 3456), ("dragonfly:6x12x4", 1752))
SEEDS = (1, 2, 3, 4, 5)
NODES = (256, 1024, 4096, 16384, 65536)
TIMED = ("fat-tree", "dragonfly")
MOST_BYTES = 2**30  # of all ranks' results together: the shapes of larger ones take much memory
HEAD = """\
# New shapes of the catalogue beside older ones

<!-- Written by bench/shapes.py; do not edit. -->

Each value is the new algorithm's part of the older one's: below 1 the new one is better. Nothing is measured; the same command
gives the same values on every machine ([what is counted, and the rules of virtual time](../simulation.md)).
{made_by}.

## Bytes over cables between routers

1,024 ranks on 1,024 nodes; in parentheses over long cables (between groups of a dragonfly, to the highest switches of a fat
tree). *In order*: ranks on neighbouring places, from the first on. *Fragments*: places drawn at random, ranks on them in order, as
a batch system leaves them on a machine that others use; the median of {seeds} draws.

"""
LEADERS = (1, 2, 4, 8, 16)
LEADER_NODES, LEADER_SIZES, RANKS_PER_NODE = (16, 64), ("8", "64", "512", "4K"), 16
LEADERS_HEAD = """
## Alltoall with several leaders a node

Virtual time of `hierarchical:lanes=N`, {per_node} ranks on a node, machine `infiniband`, as a part of that of the better of `pairwise` and
`bruck`; – where leaders would need too much memory.

"""
RELAYS, RELAY_SIZES = ("parlogna", "parlogna:radix=16", "parlinna", "parlinna:radix=16"), ("8", "64", "512", "4K")
RELAYS_HEAD = """
## Alltoallv whose blocks travel together

Virtual time, the sizes that go ahead included, {per_node} ranks on a node, machine `infiniband` with a dragonfly, as a part of that of
the best of `pairwise`, `linear` and `ring`. All blocks have the same size, which the algorithms do not know.

"""
TIME_HEAD = """
## Virtual time

From the first arrival to the last exit, machine `infiniband`, one rank on a node, ranks on places in order, all at once.

"""


def tutti(options, words):
    return output_of([options.build / "bin/tutti", *words], timeout_s=3600)


def traffic(options, collective, algorithm, size, network, nodes):
    """Bytes over all cables, over long ones."""
    words = ["schedule", collective, "--algorithm", algorithm, "--ranks", str(RANKS), "--bytes", size, "--traffic", network]
    output = tutti(options, words + (["--nodes", ",".join(map(str, nodes))] if nodes else []))
    return [int(count) for count in re.findall(r"^ *(\d+) bytes over", output, re.M)]


def ratios(options, pair, network, nodes):
    collective, new, old, size, _ = pair
    both = zip(traffic(options, collective, new, size, network, nodes), traffic(options, collective, old, size, network, nodes))
    return [ours / theirs if theirs else None for ours, theirs in both]


def shown(values):
    cables, long_cables = values
    return f"{cables:.2f}" + (f" ({long_cables:.2f})" if long_cables is not None else "")


def median_of(several):
    return [statistics.median(values) if None not in values else None for values in zip(*several)]


def traffic_rows(options):
    for network, places in NETWORKS:
        draws = [None] if places == RANKS else [sorted(random.Random(seed).sample(range(places), RANKS)) for seed in SEEDS]
        for name, nodes in (("in order", [None]), ("fragments", draws)):
            if name == "fragments" and draws == [None]:
                continue
            yield [f"`{network}`, {name}", *(shown(median_of([ratios(options, pair, network, one) for one in nodes])) for pair in PAIRS)]


def whole_ns(options, collective, algorithm, size, topology, nodes, per_node=1):
    output = tutti(options, ["simulate", collective, "--algorithm", algorithm, "--nodes", str(nodes), "--sizes", size, "--machine",
                             "infiniband", "--topology", topology, "--ranks-per-node", str(per_node), "--json", "-"])
    return json.loads(output)["cells"][0].get("whole_ns")  # nothing where the algorithm declines


def is_too_much(collective, size, nodes):
    has_blocks = collective in ("allgather", "gather", "scatter")
    return has_blocks and int(size.replace("K", "000")) * nodes * (nodes if collective == "allgather" else 1) > MOST_BYTES


def time_rows(options):
    for collective, new, old, _, sizes in PAIRS:
        for size in sizes:
            for topology in TIMED:
                cells = [f"{collective}: {new} / {old}", size, topology]
                for nodes in NODES:
                    if is_too_much(collective, size, nodes):
                        cells.append("–")
                        continue
                    ours, theirs = (whole_ns(options, collective, one, size, topology, nodes) for one in (new, old))
                    cells.append(f"{ours / theirs:.2f}")
                print(" | ".join(cells), file=sys.stderr)
                yield cells


def leader_rows(options):
    algorithms = ["pairwise", "bruck", *(f"hierarchical:lanes={lanes}" for lanes in LEADERS)]
    for nodes, size, topology in itertools.product(LEADER_NODES, LEADER_SIZES, TIMED):
        pairwise, bruck, *times = (whole_ns(options, "alltoall", one, size, topology, nodes, RANKS_PER_NODE) for one in algorithms)
        yield [str(nodes), size, topology, *(f"{one / min(pairwise, bruck):.2f}" if one else "–" for one in times)]


def relay_rows(options):
    for nodes, size in itertools.product(LEADER_NODES, RELAY_SIZES):
        times = {one: whole_ns(options, "alltoallv", one, size, "dragonfly", nodes, RANKS_PER_NODE)
                 for one in ("pairwise", "linear", "ring", *RELAYS)}
        straight = min(times[one] for one in ("pairwise", "linear", "ring"))
        yield [str(nodes), size, *(f"{times[one] / straight:.2f}" for one in RELAYS)]


def table(head, rows):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *rows]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--time", action="store_true", help="also virtual time, up to 65,536 nodes")
    parser.add_argument("--page", type=Path, default=ROOT / "docs/results/shapes.md")
    options = parser.parse_args()
    counted = table(["", *(f"{collective}: {new} / {old}" for collective, new, old, *_ in PAIRS)], list(traffic_rows(options)))
    text = HEAD.format(seeds=len(SEEDS), made_by=made_by("bench/shapes.py BUILD")) + counted + LEADERS_HEAD.format(per_node=RANKS_PER_NODE)
    text += table(["nodes", "bytes", "network", *(f"{lanes} leaders" if lanes > 1 else "1 leader" for lanes in LEADERS)],
                  list(leader_rows(options)))
    text += RELAYS_HEAD.format(per_node=RANKS_PER_NODE)
    text += table(["nodes", "bytes", *(f"`{one}`" for one in RELAYS)], list(relay_rows(options)))
    if options.time:
        text += TIME_HEAD + table(["", "bytes", "network", *(f"{nodes:,}" for nodes in NODES)], list(time_rows(options)))
    options.page.write_text(text)


if __name__ == "__main__":
    main()
