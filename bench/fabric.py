#!/usr/bin/env python3
"""Routes the groups of paper 004 on its six topologies, with and without a limit of colours, and writes
docs/results/fabric.md with the paper's numbers beside, and its figures 6 to 12 in docs/results/fabric/.

    bench/fabric.py BUILD [--only TOPOLOGY] [--page FILE]

BUILD is a folder with bin/tutti. Times are CPU time of one thread, so that other work on the machine matters little.
Every routing is checked by the independent verifier before it counts.
"""

import argparse
import functools
import json
import operator
import subprocess
import sys
import tempfile
from pathlib import Path

from chart import bars, chart
from page import made_by

ROOT = Path(__file__).resolve().parents[1]

# Pattern -> what paper 004 says of it (sections 4.3 to 4.5): colours, EFI without limit, EFI and TFI with it.
TOPOLOGIES = {
    "bluelight": ("bluelight", 128, {
        "grid:256x34": {"colours": 29}, "grid:90x90": {"colours": 50}, "grid:16x16x34": {}, "grid:20x20x20": {},
        "random:groups=1000,size=16": {}, "grid:64x16x34,ppn=4": {"efi": 24, "limited_efi": 58},
        "grid:32x32x32,ppn=4": {}}),
    "taihulight": ("taihulight", 128, {
        "grid:256x160": {}, "grid:202x202": {}, "grid:32x32x40": {}, "grid:34x34x34": {},
        "random:groups=1000,size=16": {},
        "grid:128x32x40,ppn=4": {"colours": 269, "efi": 37, "limited_efi": 300, "limited_tfi": 66},
        "grid:54x54x54,ppn=4": {}}),
    "fat-tree": ("fat-tree:ports=40,levels=3", 128, {
        "grid:400x40": {}, "grid:126x126": {}, "grid:20x20x40": {}, "grid:25x25x25": {},
        "random:groups=1000,size=16": {}, "grid:80x20x40,ppn=4": {}, "grid:39x39x39,ppn=4": {}}),
    "torus": ("torus:size=30x20x20,hosts=2", 256, {
        "grid:240x100": {}, "grid:154x154": {}, "grid:60x20x20": {}, "grid:28x28x28": {},
        "random:groups=1000,size=16": {}, "grid:240x20x20,ppn=4": {}, "grid:45x45x45,ppn=4": {}}),
    "dragonfly": ("dragonfly:a=18,p=9,h=9", 256, {
        "grid:162x163": {}, "grid:160x160": {}, "grid:9x18x163": {}, "grid:29x29x29": {},
        "random:groups=1000,size=16": {}, "grid:36x18x163,ppn=4": {}, "grid:47x47x47,ppn=4": {}}),
    "random": ("random:switches=2048,ports=40,hosts=20,seed=1", 256, {
        "grid:256x160": {"efi": 20, "limited_efi": 34}, "grid:202x202": {}, "grid:32x32x40": {}, "grid:34x34x34": {},
        "random:groups=1000,size=16": {},
        "grid:128x32x40,ppn=4": {"efi": 139, "limited_efi": 4687}, "grid:54x54x54,ppn=4": {}}),
}
# The largest numbers of colours over the patterns of a topology (section 4.3).
MOST_COLOURS = {"torus": 2166, "dragonfly": 486, "random": 2852}
# The paper's figures 8 and 11, and the methods that they compare.
SWEEPS = (("taihulight", "grid:34x34x34"), ("random", "grid:32x32x40"))
SWEPT_COLOURS = (16, 32, 64, 128, 256, 512)
METHODS = (("guided", "guided"), ("paper's method", "paper"))
BY_COLOUR = ("taihulight", "grid:128x32x40,ppn=4")
GROWTH = ("taihulight", [1000, 3000, 10000, 30000, 100000])


def route(command, fabric, groups, algorithm, colours, *options):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "routing.json"
        words = [command, "fabric", "route", fabric, groups, "--algorithm", algorithm, "--colours", str(colours),
                 "--json", str(out), "--metrics-only", *options]
        print("  " + " ".join(words[1:8]), file=sys.stderr, flush=True)
        result = subprocess.run(words, capture_output=True, text=True)
        if result.returncode != 0 or not out.exists():  # where the verifier finds a fault, too
            sys.exit(f"{' '.join(words)}: {result.stderr.strip()}")
        return json.loads(out.read_text())


def beside(value, paper):
    return f"{value} ({paper})" if paper is not None else str(value)


def measure(command, fabric, limit, groups):
    """Guided and the paper's method without and with the limit, guided with bounds; the baselines without."""
    thorough = ("--effort", "thorough")
    runs = {"any": route(command, fabric, groups, "guided", 0, "--bounds"),
            "limited": route(command, fabric, groups, "guided", limit, "--bounds"),
            "any, thorough": route(command, fabric, groups, "guided", 0, *thorough),
            "limited, thorough": route(command, fabric, groups, "guided", limit, *thorough)}
    for name in ("paper", "minihop-mc", "sssp-mc"):
        runs[name] = route(command, fabric, groups, name, 0)
    runs["limited, paper"] = route(command, fabric, groups, "paper", limit)
    return runs


def row(groups, runs, paper):
    free, limited = runs["any"]["metrics"], runs["limited"]["metrics"]
    bounds, tight = runs["any"]["bounds"], runs["limited"]["bounds"]
    slow = [runs[name]["metrics"] for name in ("any, thorough", "limited, thorough")]
    theirs = runs["limited, paper"]["metrics"]
    others = " / ".join(str(runs[name]["metrics"]["efi"]["max"]) for name in ("paper", "minihop-mc", "sssp-mc"))
    return (f"| `{groups}` | {free['groups']} | {beside(free['colours'], paper.get('colours'))} "
            f"| {bounds['colours']['value']} | {runs['paper']['metrics']['colours']} "
            f"| {beside(free['efi']['max'], paper.get('efi'))} | {bounds['efi']['value']} | {others} "
            f"| {limited['colours']} | {beside(limited['efi']['max'], paper.get('limited_efi'))} "
            f"| {beside(limited['tfi']['max'], paper.get('limited_tfi'))} | {tight['tfi']['value']} "
            f"| {theirs['efi']['max']} / {theirs['tfi']['max']} "
            f"| {free['height']['max']} / {limited['height']['max']} "
            f"| {free['cpu_ms']['route_per_group']:.3f} / {limited['cpu_ms']['route_per_group']:.3f} "
            f"| {slow[0]['efi']['max']} / {slow[1]['efi']['max']} "
            f"| {slow[0]['cpu_ms']['route_per_group']:.3f} / {slow[1]['cpu_ms']['route_per_group']:.3f} |\n")


HEAD = """\
# Multicast routing with small tables: paper 004 beside Tutti

<!-- Written by bench/fabric.py; run it again instead of editing this page. -->

{made_by}. Six topologies, seven patterns each. The paper names some patterns; the others are
chosen here: one that fits the topology and one that does not, in two and three dimensions, also in three with four
processes on each host, and random groups. Numbers in brackets are the paper's, where its text has them
(its figures are not in the text). Every routing passed the independent verifier.

Groups are *planned as a whole*: all are known before the first is routed, and where colours run out, those that have not been
announced are planned again. The paper's method takes one group after the other and keeps what it has routed. So the tables
compare two ways of working as well as two algorithms, and say nothing of groups that come one by one.

- **colours**: forwarding-table indices without limit; **bound**: what no routing without merging can go below (a cut);
  **paper's method**: algorithms 1 to 7 as printed, in this implementation.
- **EFI**: groups over the busiest cable between switches; **others**: the paper's method, MINIHOP-MC as OpenSM does it,
  SSSP-MC as the paper describes it, all without limit.
- **limited**: with the colours that the paper recommends, by both. **TFI**: groups in the fullest tree.
- **height**: hops from the middle of the highest tree, without and with limit.
- **ms**: CPU time per group on one core, without and with limit, without the table of hops.
- **thorough**: EFI without and with limit, and CPU time, of `--effort thorough`.
"""
TABLE = """
| groups | number | colours | bound | paper's method | EFI | bound | others | limited: colours | EFI | TFI | bound | paper's method: EFI / TFI | height | ms | thorough: EFI | ms |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
"""


def section(name, measured):
    fabric, limit, patterns = TOPOLOGIES[name]
    most = f" The paper's largest number of colours here is {MOST_COLOURS[name]}." if name in MOST_COLOURS else ""
    text = [f"\n## {name}\n\n`{fabric}`, limited to {limit} colours.{most}\n{TABLE}"]
    reasons = []
    for groups, runs in measured.items():
        text.append(row(groups, runs, patterns[groups]))
        bounds = runs["any"]["bounds"]
        reasons.append(f"- `{groups}`: {bounds['colours']['reason']}; {bounds['efi']['reason']}.\n")
    return "".join(text) + "\nWhere the bounds come from:\n\n" + "".join(reasons)


def metric(run, *path):
    """What a row of a figure takes from the runs of a pattern."""
    return lambda runs: functools.reduce(operator.getitem, path, runs[run]["metrics"])


# The paper's figures whose bars stand over topologies and patterns: number, file, title of the axis, series.
BARS = (
    (6, "colours", "groups and colours, without limit",
     {"groups": metric("any", "groups"), "colours": metric("any", "colours"),
      "colours, paper's method": metric("paper", "colours")}),
    (7, "efi", "maximum EFI, without limit",
     {"guided": metric("any", "efi", "max"), "guided, thorough": metric("any, thorough", "efi", "max"),
      "paper's method": metric("paper", "efi", "max"), "MINIHOP-MC": metric("minihop-mc", "efi", "max"),
      "SSSP-MC": metric("sssp-mc", "efi", "max")}),
    (9, "efi-limited", "maximum EFI",
     {"without limit": metric("any", "efi", "max"), "recommended colours": metric("limited", "efi", "max"),
      "recommended colours, thorough": metric("limited, thorough", "efi", "max")}),
    (10, "tfi", "maximum TFI, recommended colours", {"guided": metric("limited", "tfi", "max")}),
    (12, "time", "CPU time of all groups, ms",
     {"without limit": metric("any", "cpu_ms", "route"), "recommended colours": metric("limited", "cpu_ms", "route"),
      "recommended colours, thorough": metric("limited, thorough", "cpu_ms", "route")}),
)


def short(groups):
    return groups.split(":")[1].replace(",ppn=4", "·4") if groups.startswith("grid") else "random"


def bar_panels(measured, series):
    return [(name, [short(groups) for groups in patterns],
             {label: [of(runs) for runs in patterns.values()] for label, of in series.items()})
            for name, patterns in measured.items()]


def sweep(command):
    """Figure 8: greatest EFI by number of colours."""
    panels = []
    for name, groups in SWEEPS:
        fabric = TOPOLOGIES[name][0]
        series = {}
        for label, algorithm in METHODS:
            values = [(colours, route(command, fabric, groups, algorithm, colours)["metrics"]["efi"]["max"])
                      for colours in SWEPT_COLOURS]
            series[label] = [(colours, efi, efi, efi) for colours, efi in values]
        panels.append((f"{name}, {short(groups)}", series))
    return chart(panels, str, "maximum EFI", "colours")


def colours_in_use(command):
    """Figure 11: trees and groups of each colour."""
    name, groups = BY_COLOUR
    fabric, limit, _ = TOPOLOGIES[name]
    panels = []
    for title, algorithm in METHODS:
        used = route(command, fabric, groups, algorithm, limit)["metrics"]["by_colour"]
        panels.append((f"{title}: {name}, {short(groups)}, {limit} colours", list(range(len(used["trees"]))),
                       {"groups": used["groups"], "trees": used["trees"]}))
    return bars(panels, "groups and trees of each colour")


def figures(command, measured, page):
    folder = page.parent / "fabric"
    folder.mkdir(exist_ok=True)
    drawn = {number: (file, title, bars(bar_panels(measured, series), title)) for number, file, title, series in BARS}
    drawn[8] = ("efi-by-colours", "maximum EFI by number of colours", sweep(command))
    drawn[11] = ("by-colour", "groups and trees of each colour", colours_in_use(command))
    text = ["\n## Figures\n\nThe paper's figures 6 to 12; `128x32x40·4` is a grid with four processes on each host.\n"]
    for number, (file, title, svg) in sorted(drawn.items()):
        (folder / f"{file}.svg").write_text(svg)
        text.append(f"\nFigure {number}, {title}:\n\n![{title}](fabric/{file}.svg)\n")
    return "".join(text)


def cost(metrics):
    return f"{metrics['cpu_ms']['route_per_group']:.3f} | {metrics['memory_bytes'] / 1e6:.0f}"


def growth(command):
    fabric, counts = GROWTH
    limit = TOPOLOGIES[fabric][1]
    text = ["\n## Cost per group as groups grow\n\n"
            f"Random groups of 16 on `{fabric}`, without limit and with {limit} colours. With the limit,\n"
            "groups are merged from 3,000 on, in the end to one tree a colour.\n\n"
            "| groups | colours | greatest EFI | ms a group | MB | limited: greatest EFI | TFI | ms a group | MB |\n"
            "|---|---|---|---|---|---|---|---|---|\n"]
    for count in counts:
        free, limited = (route(command, fabric, f"random:groups={count},size=16", "guided", colours)["metrics"]
                         for colours in (0, limit))
        text.append(f"| {count} | {free['colours']} | {free['efi']['max']} | {cost(free)} "
                    f"| {limited['efi']['max']} | {limited['tfi']['max']} | {cost(limited)} |\n")
    return "".join(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--only", choices=TOPOLOGIES, help="one topology, to standard output")
    parser.add_argument("--page", type=Path, default=ROOT / "docs/results/fabric.md")
    options = parser.parse_args()
    command = str(options.build / "bin/tutti")
    names = [options.only] if options.only else list(TOPOLOGIES)
    measured = {}
    for name in names:
        fabric, limit, patterns = TOPOLOGIES[name]
        measured[name] = {groups: measure(command, fabric, limit, groups) for groups in patterns}
    if options.only:
        print(section(options.only, measured[options.only]))
        return
    text = HEAD.format(made_by=made_by("bench/fabric.py BUILD")) + "".join(section(name, measured[name]) for name in names)
    options.page.write_text(text + growth(command) + figures(command, measured, options.page))


main()
