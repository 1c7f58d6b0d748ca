#!/usr/bin/env python3
"""Simulates the barrier offload of paper 003 and its software rivals, and writes docs/results/offload.md and its figures.

    bench/offload.py BUILD [--only SECTION] [--page FILE]

BUILD is a folder with bin/tutti. All times but the section about the model's own speed are simulated: they are the same
on every machine, whatever else it does.
"""

import argparse
import itertools
import json
import os
import sys
import tempfile
from pathlib import Path

from chart import chart
from page import made_by, table

ROOT = Path(__file__).resolve().parents[1]
SETS = ("default", "infiniband", "gemini", "tofu2")
NODES = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
LARGE = (256, 1024, 4096, 16384, 65536)
RADICES = range(2, 17)


class Simulator:
    """Runs `tutti offload simulate`, everything once."""

    def __init__(self, build):
        self.command = str(build / "bin/tutti")
        self.known = {}

    def run(self, **options):
        key = tuple(sorted(options.items()))
        if key not in self.known:
            words = [self.command, "offload", "simulate"]
            words += [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", str(value))]
            self.known[key] = self.measure(words)
        return self.known[key]

    @staticmethod
    def measure(words):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "result.json"
            child = os.posix_spawnp(words[0], [*words, "--json", str(out)], os.environ,
                                    file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
            _, status, used = os.wait4(child, 0)
            if status != 0:
                sys.exit(f"{' '.join(words)}: failed")
            result = json.loads(out.read_text())
        result["cpu_s"] = used.ru_utime + used.ru_stime
        result["peak_mib"] = used.ru_maxrss / 1024
        return result

    def latency(self, **options):
        return self.run(**options)["latency_ns"]["median"]

    def best(self, nodes, parameters, engine="offload"):
        """(latency, radix) of the best radix that this number of nodes has use for."""
        useful = [radix for radix in RADICES if radix <= max(2, nodes)]
        return min((self.latency(nodes=nodes, radix=radix, engine=engine, parameters=parameters), radix)
                   for radix in useful)


def less(new, old):
    return 100 * (1 - new / old)


def draw(options, name, panels, x_text, y_label, x_label):
    folder = options.page.parent / "offload"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.svg").write_text(chart(panels, x_text, y_label, x_label))
    return f"\n![{y_label} by {x_label}](offload/{name}.svg)\n"


def point(x, value):
    return (x, value, value, value)


def software_and_offload(simulator, options):
    """Figure 9, and what must hold."""
    text, panels, verdicts = "", [], []
    for name in SETS:
        rows, series = [], {key: [] for key in ("MPI, radix 2", "user library, radix 2", "user library, k-way",
                                                "offloaded, radix 2", "offloaded, radix 3", "offloaded, k-way")}
        for nodes in NODES:
            at = {"nodes": nodes, "parameters": name}
            mpi = simulator.latency(radix=2, engine="software-mpi", **at)
            library = simulator.latency(radix=2, engine="software", **at)
            library_best, library_radix = simulator.best(nodes, name, "software")
            two = simulator.latency(radix=2, engine="offload", **at)
            three = simulator.latency(radix=3, engine="offload", **at)
            best, radix = simulator.best(nodes, name)
            values = (mpi, library, library_best, two, three, best)
            for key, value in zip(series, values):
                series[key].append(point(nodes, value / 1000))
            rows.append((nodes, mpi, library, f"{library_best:.0f} ({library_radix})", two, three, f"{best:.0f} ({radix})",
                         less(three, mpi), less(best, mpi), less(best, library), less(best, two)))
        average = [sum(row[i] for row in rows) / len(rows) for i in (7, 8, 9)]
        verdicts.append((name, average, rows[-1]))
        cells = [tuple(f"{cell:.0f}" if isinstance(cell, float) else cell for cell in row) for row in rows]
        text += f"\n### {name}\n\n" + table(
            ("nodes", "MPI, radix 2", "user library, radix 2", "user library, k-way (radix)", "offloaded, radix 2",
             "radix 3", "k-way (radix)", "radix 3 below MPI, %", "k-way below MPI, %", "below library, %",
             "below radix 2, %"), cells)
        panels.append((name, series))
    must = table(("set", "average: radix 3 below MPI", "k-way below MPI", "k-way below user library",
                  "at 128: radix 3 below MPI", "k-way below MPI", "k-way below user library",
                  "k-way below offloaded radix 2"),
                 [(name, *(f"{value:.1f} %" for value in average), *(f"{last[i]:.1f} %" for i in (7, 8, 9, 10)))
                  for name, average, last in verdicts])
    figure = draw(options, "software", panels[:2], str, "µs", "nodes") + draw(options, "software-2", panels[2:], str, "µs",
                                                                             "nodes")
    return ("## Software and offload (figure 9)\n\nNanoseconds from the last arrival to the last completion, all hosts "
            "arriving at once. *MPI*: point-to-point messages through MPI, what the paper calls software; *user library*: "
            "the same hosts and NICs at their best, without MPI. *k-way*: the best radix of "
            "2 to 16. Averages are over the rows.\n\n" + NOT_SHOWN + must + figure + text)


def scale(simulator, options):
    """Figure 8."""
    rows, series = [], {"radix 3": [], "radix 16": []}
    for nodes in [*NODES, *LARGE]:
        values = [simulator.latency(nodes=nodes, radix=radix, engine="offload", parameters="default")
                  for radix in (3, 16)]
        for key, value in zip(series, values):
            series[key].append(point(nodes, value / 1000))
        rows.append((nodes, simulator.run(nodes=nodes, radix=3, engine="offload", parameters="default")["topology"],
                     *(f"{value:.0f}" for value in values)))
    return ("\n## Latency by number of nodes (figure 8)\n\nOffloaded, default set, ns.\n\n" +
            table(("nodes", "topology", "radix 3", "radix 16"), rows) +
            draw(options, "scale", [("offloaded, default set", series)], str, "µs", "nodes"))


def radix(simulator, _):
    rows = [(value, *(f"{simulator.latency(nodes=128, radix=value, engine='offload', parameters=name):.0f}"
                      for name in SETS)) for value in range(2, 17)]
    return "\n## Radix\n\n128 nodes, offloaded, ns.\n\n" + table(("radix", *SETS), rows)


def arrivals(simulator, options):
    base = {"nodes": 64, "engine": "offload", "radix": 3, "repeats": 50}
    spreads, series, rows = (100, 1000, 10000, 100000), {}, []
    for pattern in ("uniform", "exponential", "one-late", "ascending", "halves"):
        runs = [simulator.run(arrivals=f"{pattern}:{spread}ns", **base) for spread in spreads]
        rows.append((pattern, *(f"{run['latency_ns']['median']:.0f}; {run['early'] / 50:.0f}; {run['nacks'] / 50:.1f}"
                                for run in runs)))
        series[pattern] = [point(spread, run["latency_ns"]["median"] / 1000) for spread, run in zip(spreads, runs)]
    text = ("\n## When hosts arrive (the missing section 3.3)\n\n64 nodes, radix 3, default set, 50 barriers one after the "
            "other: median ns after the last arrival; early notifications kept, and refused ones, per barrier of all "
            "nodes.\n\n" + table(("pattern", *(f"spread {spread / 1000:g} µs" for spread in spreads)), rows) +
            draw(options, "arrivals", [("64 nodes, radix 3", series)], lambda ns: f"{ns:g}", "µs after the last arrival",
                 "spread in ns"))
    rows = []
    for depth, (pattern, value) in itertools.product((1, 2, 4, 8, 16), (("one-late", 3), ("one-late", 16))):
        run = simulator.run(damq_depth=depth, arrivals=f"{pattern}:20us", **{**base, "radix": value})
        rows.append((depth, value, f"{run['latency_ns']['median']:.0f}", f"{run['nacks'] / 50:.1f}",
                     f"{run['resends'] / 50:.1f}", run["damq_peak"]))
    return text + ("\nDepth of the DAMQ, one host 20 µs late:\n\n" +
                   table(("depth", "radix", "ns", "NACKs per barrier", "sent again", "entries used"), rows))


def overlap(simulator, _):
    rows = []
    for nodes in (8, 32, 128):
        for engine, value in (("software-mpi", 2), ("software", 2), ("offload", 3), ("offload", 16)):
            run = simulator.run(nodes=nodes, engine=engine, radix=value)
            busy, latency = run["host_ns_per_collective"], run["latency_ns"]["median"]
            rows.append((nodes, engine, value, f"{latency:.0f}", f"{busy:.0f}",
                         f"{100 * max(0, 1 - busy / latency):.0f} %" if engine == "offload" else "none without progress"))
    return ("\n## Time left to the host\n\nCPU time for messages, or for the descriptor and its completion, while the "
            "barrier lasts. A nonblocking software barrier only goes on when the host comes back to it for each round; an "
            "offloaded one leaves the rest of its time free.\n\n" +
            table(("nodes", "engine", "radix", "latency, ns", "CPU busy, ns", "free"), rows))


def background(simulator, _):
    rows = []
    for load in (0, 0.1, 0.2, 0.4, 0.6, 0.8):
        cells = [simulator.run(nodes=64, engine=engine, radix=value, repeats=20, background=load)["latency_ns"]
                 for engine, value in (("software-mpi", 2), ("offload", 2), ("offload", 3), ("offload", 8))]
        rows.append((f"{100 * load:.0f} %", *(f"{cell['median']:.0f} ({cell['max']:.0f})" for cell in cells)))
    return ("\n## Beside other traffic\n\n64 nodes; every NIC also writes 1 KiB packets to random nodes at this share of its "
            "link. Median (greatest) ns of 20 barriers.\n\n" +
            table(("load", "MPI, radix 2", "offloaded, radix 2", "radix 3", "radix 8"), rows))


def allreduce(simulator, _):
    rows = []
    for nodes, elements in itertools.product((16, 128), (1, 2, 4, 8)):
        cells = [simulator.latency(nodes=nodes, engine="offload", radix=value, allreduce="sum", type=kind,
                                   elements=elements) for value in (2, 4) for kind in ("int64", "float64")]
        rows.append((nodes, 8 * elements, *(f"{cell:.0f}" for cell in cells)))
    return ("\n## Small allreduce\n\nSum, offloaded, default set, ns; the same bits on all nodes (checked in every run).\n\n" +
            table(("nodes", "bytes", "radix 2, int64", "radix 2, float64", "radix 4, int64", "radix 4, float64"), rows))


def loss(simulator, _):
    rows = []
    for chance in (0, 1e-5, 1e-4, 1e-3, 1e-2):
        run = simulator.run(nodes=64, engine="offload", radix=3, repeats=200, loss=chance)
        latency = run["latency_ns"]
        rows.append((f"{chance:g}", f"{latency['median']:.0f}", f"{latency['mean']:.0f}", f"{latency['max']:.0f}",
                     run["network"]["lost"], run["resends"], run["duplicates"]))
    return ("\n## Lost packets\n\n64 nodes, radix 3, 200 barriers; the chance is per crossing of a link. What is lost costs a "
            "time limit (25 µs).\n\n" +
            table(("chance", "median, ns", "mean", "greatest", "lost", "sent again", "received twice"), rows))


def sensitivity(simulator, _):
    """Dependence of the figures at 128 nodes on the parameters."""
    groups = {"nothing": {}, "hop_ns": {"network": {"hop_ns": 105}},
              "inject_ns, eject_ns": {"network": {"inject_ns": 137.4, "eject_ns": 137.4}},
              "link_gbps": {"network": {"link_gbps": 5}}, "pio_ns": {"nic": {"pio_ns": 137.49}},
              "dma_write_ns": {"nic": {"dma_write_ns": 378.45}},
              "mpi_send_ns, mpi_receive_ns": {"host": {"mpi_send_ns": 26.56, "mpi_receive_ns": 224.66}},
              "post_ns, send_ns": {"host": {"post_ns": 175.42, "send_ns": 175.42}},
              "poll_ns, receive_ns": {"host": {"poll_ns": 61.63, "receive_ns": 61.63}}, "clock_mhz": {"clock_mhz": 312.5}}
    rows = []
    for name, values in groups.items():
        cells = []
        for factor in (0.5, 2):
            scaled = {section: {key: value * factor for key, value in entries.items()} if isinstance(entries, dict)
                      else entries * factor for section, entries in values.items()}
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "changed.json"
                file.write_text(json.dumps({"name": "changed", **scaled}))
                mpi, best = (simulator.latency(nodes=128, radix=radix, engine=engine, parameters=file)
                             for radix, engine in ((2, "software-mpi"), (16, "offload")))
            cells.append(f"{mpi:.0f} → {best:.0f}: {less(best, mpi):.1f} %")
        rows.append((name, *cells))
    return ("\n## What the numbers depend on\n\n128 nodes, default set with one thing changed: MPI, radix 2 → offloaded, radix "
            "16, ns, and how much less.\n\n" + table(("parameter", "halved", "doubled"), rows))


def speed(simulator, _):
    rows = []
    for nodes, value, repeats in ((128, 3, 200), (65536, 3, 1), (65536, 16, 1)):
        run = simulator.run(nodes=nodes, radix=value, engine="offload", parameters="default",
                            **({"repeats": repeats} if repeats > 1 else {}))
        rate = run["cycles"] * nodes / run["cpu_s"] / 1e6
        rows.append((nodes, value, repeats, f"{run['cpu_s']:.1f}", f"{run['peak_mib']:.0f}", f"{rate:.1f}"))
    return ("\n## The model's own speed\n\nCPU time of one thread, which other work on the machine lengthens.\n\n" +
            table(("nodes", "radix", "barriers", "CPU s", "MiB", "million NIC-cycles·nodes per s"), rows))


SECTIONS = {"software": software_and_offload, "radix": radix, "arrivals": arrivals, "overlap": overlap,
            "background": background, "allreduce": allreduce, "loss": loss,
            "sensitivity": sensitivity, "scale": scale, "speed": speed}
NOT_SHOWN = """\
Not shown: the 40 % on average and 73 % at 128 nodes of paper 003. It has them from its own simulation (a torus with a fixed time for
each hop), whose parameters, radix and way of measuring its text does not give. What follows is for four published sets of
parameters.

"""
HEAD = """\
# Barrier offload: paper 003

<!-- Written by bench/offload.py; run it again instead of editing this page. -->

{made_by}, with `tutti offload simulate`, cycle by cycle ([the machine and its parameters, with their
sources](../offload.md)). What the tables say, and what they do not, is in [the notes](notes/offload.md); what the
engine costs in gates, and that RTL and model agree, in [offload-rtl.md](offload-rtl.md).

"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--only", choices=SECTIONS, help="one section, to standard output")
    parser.add_argument("--page", type=Path, default=ROOT / "docs/results/offload.md")
    options = parser.parse_args()
    simulator = Simulator(options.build)
    if options.only:
        print(SECTIONS[options.only](simulator, options))
        return
    text = HEAD.format(made_by=made_by("bench/offload.py BUILD"))
    for name, section in SECTIONS.items():
        print(name, file=sys.stderr, flush=True)
        text += section(simulator, options)
        options.page.write_text(text)


main()
