#!/usr/bin/env python3
"""`tutti simulate` beside SimGrid's SMPI, where both have the same algorithm; writes docs/results/smpi.md.

    bench/smpi.py BUILD [--page FILE]

BUILD is a folder with bin/tutti. Needs smpicc and smpirun (Debian: simgrid, libsimgrid-dev). Nothing is measured: the values are
the same on every machine. Two minutes.
"""

import argparse
import json
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from command import output_of
from page import made_by

ROOT = Path(__file__).resolve().parents[1]
NODES, RANKS_PER_NODE = 16, 8
VECTOR = (1, 64, 1000, 8000, 64000, 256000, 1000000, 4000000)
BLOCK = (1, 64, 1000, 8000, 64000)
# Collective, SMPI's algorithm, ours, sizes in bytes (of the message, vector or block).
ROWS = (
    ("bcast", "flattree", "linear", VECTOR),
    ("bcast", "binomial_tree", "knomial:segment=1G", VECTOR),
    ("bcast", "scatter_rdb_allgather", "rdaas", VECTOR),
    ("reduce", "binomial", "knomial:segment=1G", VECTOR),
    ("allreduce", "rdb", "recursive_doubling", VECTOR),
    ("allreduce", "rab_rdb", "rabenseifner", VECTOR),
    ("allgather", "rdb", "recursive_doubling", BLOCK),
    ("allgather", "bruck", "bruck", BLOCK),
    ("alltoall", "basic_linear", "linear", BLOCK),
    ("alltoall", "bruck", "bruck", BLOCK),
    ("gather", "ompi_binomial", "binomial", BLOCK),
    ("gather", "ompi_basic_linear", "linear", BLOCK),
    ("barrier", "ompi_bruck", "dissemination", (1,)),
)
ASKED = 0.15
# For each of the two links on the path.
NETWORK = {"latency_us": 0.75, "bandwidth": "1.5GBps"}
SETTINGS = ("smpi/simulate-computation:no", "smpi/cpu-threshold:-1", "smpi/async-small-thresh:12288",
            "smpi/send-is-detached-thresh:12288", "smpi/os:0:0.5e-6:0", "smpi/ois:0:0.5e-6:0", "smpi/or:0:0.5e-6:0",
            "smpi/bw-factor:0:1", "smpi/lat-factor:0:1", "smpi/test:1e-7", "smpi/iprobe:1e-7", "smpi/grow-injected-times:no",
            "smpi/wtime:0", "network/crosstraffic:0", "network/TCP-gamma:0")
# The same in our words: SMPI has one overhead for all messages, no copies but those between ranks, and one of them.
MACHINE = {
    "name": "smpi",
    "network": {"latency_ns": 1500, "overhead_ns": 500, "gap_ns": 0, "ns_per_byte": 1 / 1.5, "eager_bytes": 12288},
    "node": {"latency_ns": 300, "overhead_ns": 500, "eager_bytes": 0},
    "memory": {"copy_ns_per_byte": 0.5, "shared_ns_per_byte": 1 / 6, "cache_bytes": 0, "reduce_ns_per_byte": 0},
}
HEAD = """\
# The simulator beside SimGrid's SMPI

<!-- Written by bench/smpi.py; do not edit. -->

Our part of SMPI's time ({version}) for the same algorithm on the same machine: {nodes} nodes of {per_node} ranks, that of
[paper 000](../simulation.md#machines), all ranks at once, from the first arrival to the last exit. {within} of {cells} cells are
within {asked:.0%}, the median is {median:.2f}. Nothing is measured; the same command gives the same values on every machine.
{made_by}.

"""
TAIL = """
What the two do differently, and where it shows:

- Our NIC sends and takes one message after the other, SMPI's shares its link among all that are under way, which then all
  arrive last (bcast by a tree at 8,000 bytes, allreduce of eight ranks of a node and gather by `linear` at 1,000).
- Copies inside a rank (Bruck's rows) take time here and none there.
- A long message asks first here, o + L each way; SMPI's begins when both sides are there.

Ring, pairwise and neighbour-exchange algorithms are not compared: SMPI's do one exchange at a time, ours as many as the
window allows, and ours round the ring go both ways.
"""


def platform():
    lines = ['<?xml version="1.0"?>', '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">', '<platform version="4.1">',
             '<zone id="world" routing="Full">']
    latency, bandwidth = NETWORK["latency_us"], NETWORK["bandwidth"]
    for i in range(NODES):
        lines += [f'<host id="h{i}" speed="10Gf" core="{RANKS_PER_NODE}"/>',
                  f'<link id="up{i}" bandwidth="{bandwidth}" latency="{latency}us"/>',
                  f'<link id="down{i}" bandwidth="{bandwidth}" latency="{latency}us"/>',
                  f'<link id="copy{i}" bandwidth="2GBps" latency="0.3us" sharing_policy="FATPIPE"/>',
                  f'<link id="memory{i}" bandwidth="6GBps" latency="0us"/>']
    for i in range(NODES):
        for j in range(NODES):
            links = (f"copy{i}", f"memory{i}") if i == j else (f"up{i}", f"down{j}")
            over = "".join(f'<link_ctn id="{link}"/>' for link in links)
            lines.append(f'<route src="h{i}" dst="h{j}" symmetrical="NO">{over}</route>')
    return "\n".join([*lines, "</zone>", "</platform>"])


def prepare(folder, program):
    """A folder with what smpirun needs; `program`: a file of bench/smpi without its ending."""
    for tool in ("smpicc", "smpirun"):
        if shutil.which(tool) is None:
            sys.exit(f"{tool} is not there (Debian: apt-get install simgrid libsimgrid-dev)")
    (folder / "platform.xml").write_text(platform())
    (folder / "hosts").write_text("".join(f"h{i}:{RANKS_PER_NODE}\n" for i in range(NODES)))
    output_of(["smpicc", "-O1", ROOT / f"bench/smpi/{program}.c", "-o", "program"], folder)


def smpi_seconds(folder, setting, words, sizes):
    """Returns the program's time for each size."""
    settings = [f"--cfg={one}" for one in (*SETTINGS, setting)]
    output = output_of(["smpirun", "-np", NODES * RANKS_PER_NODE, "-platform", "platform.xml", "-hostfile", "hosts", *settings,
                        "--log=root.thresh:critical", "./program", *words, *sizes], folder)
    times = [float(line.split()[1]) for line in output.splitlines() if line[:1].isdigit()]
    if len(times) != len(sizes):
        sys.exit(f"smpirun with {setting}: {len(times)} times for {len(sizes)} sizes")
    return times


def version():
    return output_of(["smpirun", "--version"], None).splitlines()[0].strip()


def smpi_ns(folder, collective, algorithm, sizes):
    return [time * 1e9 for time in smpi_seconds(folder, f"smpi/{collective}:{algorithm}", [collective], sizes)]


def our_ns(options, folder, collective, algorithm, sizes):
    output = output_of([options.build.resolve() / "bin/tutti", "simulate", collective, "--algorithm", algorithm, "--nodes", NODES,
                  "--ranks-per-node", RANKS_PER_NODE, "--machine", "machine.json", "--sizes", ",".join(map(str, sizes)), "--json", "-"],
                 folder)
    return [cell["whole_ns"] for cell in json.loads(output)["cells"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--page", type=Path, default=ROOT / "docs/results/smpi.md")
    options = parser.parse_args()
    rows, ratios = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder, "collective")
        (folder / "machine.json").write_text(json.dumps(MACHINE))
        for collective, theirs, ours, sizes in ROWS:
            pairs = zip(our_ns(options, folder, collective, ours, sizes), smpi_ns(folder, collective, theirs, sizes))
            values = {size: mine / other for size, (mine, other) in zip(sizes, pairs)}
            ratios += values.values()
            cells = [f"{values[size]:.2f}" if size in values else "–" for size in VECTOR]
            rows.append([f"{collective}: `{ours}`", f"`{theirs}`", *cells])
            print(" | ".join(rows[-1]), file=sys.stderr)
    head = HEAD.format(made_by=made_by("bench/smpi.py BUILD"), version=version(), nodes=NODES, per_node=RANKS_PER_NODE, asked=ASKED, cells=len(ratios),
                       within=sum(abs(ratio - 1) <= ASKED for ratio in ratios), median=statistics.median(ratios))
    titles = ["", "SMPI", *(f"{size:,}" for size in VECTOR)]
    table = "\n".join("| " + " | ".join(cells) + " |" for cells in [titles, ["---"] * len(titles), *rows])
    options.page.write_text(head + table + "\n" + TAIL)


if __name__ == "__main__":
    main()
