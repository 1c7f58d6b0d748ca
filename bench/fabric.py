#!/usr/bin/env python3
"""Routes the groups of paper 004 on its six topologies, with and without a limit of colours, and writes
docs/results/fabric.md with the paper's numbers beside.

    bench/fabric.py BUILD [--only TOPOLOGY] [--page FILE]

BUILD is a folder with bin/tutti. Times are CPU time of one thread, so that other work on the machine matters little.
Every routing is checked by the independent verifier before it counts.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# Pattern -> what paper 004 says of it (sections 4.3 to 4.5): colours, EFI without limit, EFI and TFI with it.
TOPOLOGIES = {
    "bluelight": ("bluelight", 128, {
        "grid:256x34": {"colours": 29}, "grid:90x90": {"colours": 50}, "grid:16x16x34": {}, "grid:20x20x20": {},
        "random:groups=1000,size=16": {}, "grid:64x16x34,ppn=4": {"efi": 24, "limited_efi": 58}}),
    "taihulight": ("taihulight", 128, {
        "grid:256x160": {}, "grid:202x202": {}, "grid:32x32x40": {}, "grid:34x34x34": {},
        "random:groups=1000,size=16": {},
        "grid:128x32x40,ppn=4": {"colours": 269, "efi": 37, "limited_efi": 300, "limited_tfi": 66}}),
    "fat-tree": ("fat-tree:ports=40,levels=3", 128, {
        "grid:400x40": {}, "grid:126x126": {}, "grid:20x20x40": {}, "grid:25x25x25": {},
        "random:groups=1000,size=16": {}, "grid:80x20x40,ppn=4": {}}),
    "torus": ("torus:size=30x20x20,hosts=2", 256, {
        "grid:240x100": {}, "grid:154x154": {}, "grid:60x20x20": {}, "grid:28x28x28": {},
        "random:groups=1000,size=16": {}, "grid:240x20x20,ppn=4": {}}),
    "dragonfly": ("dragonfly:a=18,p=9,h=9", 256, {
        "grid:162x163": {}, "grid:160x160": {}, "grid:9x18x163": {}, "grid:29x29x29": {},
        "random:groups=1000,size=16": {}, "grid:36x18x163,ppn=4": {}}),
    "random": ("random:switches=2048,ports=40,hosts=20,seed=1", 256, {
        "grid:256x160": {"efi": 20, "limited_efi": 34}, "grid:202x202": {}, "grid:32x32x40": {}, "grid:34x34x34": {},
        "random:groups=1000,size=16": {},
        "grid:128x32x40,ppn=4": {"efi": 139, "limited_efi": 4687}}),
}
# The largest numbers of colours over the patterns of a topology (section 4.3).
MOST_COLOURS = {"torus": 2166, "dragonfly": 486, "random": 2852}
GROWTH = ("taihulight", [1000, 3000, 10000, 30000, 100000])


def route(command, fabric, groups, algorithm, colours, *options):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "routing.json"
        words = [command, "fabric", "route", fabric, groups, "--algorithm", algorithm, "--colours", str(colours),
                 "--json", str(out), "--metrics-only", *options]
        print("  " + " ".join(words[1:8]), file=sys.stderr, flush=True)
        result = subprocess.run(words, capture_output=True, text=True)
        if not out.exists():
            sys.exit(f"{' '.join(words)}: {result.stderr.strip()}")
        return json.loads(out.read_text())


def beside(value, paper):
    return f"{value} ({paper})" if paper is not None else str(value)


def measure(command, fabric, limit, groups):
    """Guided without and with the limit, with bounds; the paper's method and the baselines without."""
    thorough = ("--effort", "thorough")
    runs = {"any": route(command, fabric, groups, "guided", 0, "--bounds"),
            "limited": route(command, fabric, groups, "guided", limit, "--bounds"),
            "any, thorough": route(command, fabric, groups, "guided", 0, *thorough),
            "limited, thorough": route(command, fabric, groups, "guided", limit, *thorough)}
    for name in ("paper", "minihop-mc", "sssp-mc"):
        runs[name] = route(command, fabric, groups, name, 0)
    return runs


def row(groups, runs, paper):
    free, limited = runs["any"]["metrics"], runs["limited"]["metrics"]
    bounds, tight = runs["any"]["bounds"], runs["limited"]["bounds"]
    slow = [runs[name]["metrics"] for name in ("any, thorough", "limited, thorough")]
    others = " / ".join(str(runs[name]["metrics"]["efi"]["max"]) for name in ("paper", "minihop-mc", "sssp-mc"))
    return (f"| `{groups}` | {free['groups']} | {beside(free['colours'], paper.get('colours'))} "
            f"| {bounds['colours']['value']} | {runs['paper']['metrics']['colours']} "
            f"| {beside(free['efi']['max'], paper.get('efi'))} | {bounds['efi']['value']} | {others} "
            f"| {limited['colours']} | {beside(limited['efi']['max'], paper.get('limited_efi'))} "
            f"| {beside(limited['tfi']['max'], paper.get('limited_tfi'))} | {tight['tfi']['value']} "
            f"| {free['height']['max']} / {limited['height']['max']} "
            f"| {free['cpu_ms']['route_per_group']:.3f} / {limited['cpu_ms']['route_per_group']:.3f} "
            f"| {slow[0]['efi']['max']} / {slow[1]['efi']['max']} "
            f"| {slow[0]['cpu_ms']['route_per_group']:.3f} / {slow[1]['cpu_ms']['route_per_group']:.3f} |\n")


HEAD = """\
# Multicast routing with small tables: paper 004 beside Tutti

<!-- Written by bench/fabric.py; run it again instead of editing this page. -->

Made by `bench/fabric.py BUILD`. Six topologies, six patterns each. The paper names some patterns; the others are
chosen here: one that fits the topology and one that does not, in two and three dimensions, random groups, and a
three-dimensional grid with four processes on each host. Numbers in brackets are the paper's, where its text has them
(its figures are not in the text). Every routing passed the independent verifier.

- **colours**: forwarding-table indices without limit; **bound**: what no routing without merging can go below (a cut);
  **paper's method**: algorithms 1 to 7 as printed, in this implementation.
- **EFI**: groups over the busiest cable between switches; **others**: the paper's method, MINIHOP-MC as OpenSM does it,
  SSSP-MC as the paper describes it, all without limit.
- **limited**: with the colours that the paper recommends. **TFI**: groups in the fullest tree.
- **height**: hops from the middle of the highest tree, without and with limit.
- **ms**: CPU time per group on one core, without and with limit, without the table of hops.
- **thorough**: EFI without and with limit, and CPU time, of `--effort thorough`.
"""
TABLE = """
| groups | number | colours | bound | paper's method | EFI | bound | others | limited: colours | EFI | TFI | bound | height | ms | thorough: EFI | ms |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
"""


def section(command, name):
    fabric, limit, patterns = TOPOLOGIES[name]
    most = f" The paper's largest number of colours here is {MOST_COLOURS[name]}." if name in MOST_COLOURS else ""
    text = [f"\n## {name}\n\n`{fabric}`, limited to {limit} colours.{most}\n{TABLE}"]
    reasons = []
    for groups, paper in patterns.items():
        runs = measure(command, fabric, limit, groups)
        text.append(row(groups, runs, paper))
        bounds = runs["any"]["bounds"]
        reasons.append(f"- `{groups}`: {bounds['colours']['reason']}; {bounds['efi']['reason']}.\n")
    return "".join(text) + "\nWhere the bounds come from:\n\n" + "".join(reasons)


def growth(command):
    fabric, counts = GROWTH
    text = [f"\n## Cost per group as groups grow\n\nRandom groups of 16 on `{fabric}`, without limit.\n\n"
            "| groups | colours | greatest EFI | ms a group | MB |\n|---|---|---|---|---|\n"]
    for count in counts:
        run = route(command, fabric, f"random:groups={count},size=16", "guided", 0)["metrics"]
        text.append(f"| {count} | {run['colours']} | {run['efi']['max']} | {run['cpu_ms']['route_per_group']:.3f} "
                    f"| {run['memory_bytes'] / 1e6:.0f} |\n")
    return "".join(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--only", choices=TOPOLOGIES, help="one topology, to standard output")
    parser.add_argument("--page", type=Path, default=ROOT / "docs/results/fabric.md")
    options = parser.parse_args()
    command = str(options.build / "bin/tutti")
    if options.only:
        print(section(command, options.only))
        return
    text = HEAD
    for name in TOPOLOGIES:
        text += section(command, name)
        options.page.write_text(text)
    options.page.write_text(text + growth(command))


main()
