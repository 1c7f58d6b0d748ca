#!/usr/bin/env python3
"""Draws Figures 3, 4 and 6 of paper 000 from `tutti model`, and writes docs/results/arrival-model.md.

    bench/model.py BUILD [--trials N] [--page FILE]

BUILD is a folder with bin/tutti. Nothing is measured: the values are the same on every machine. A minute with the default
number of trials.
"""

import argparse
import json
import subprocess
import sys
from itertools import groupby
from pathlib import Path

from chart import chart
from page import made_by, table

ROOT = Path(__file__).resolve().parents[1]
UNBALANCES = (0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 65, 80, 100, 125)
SHOWN = (1, 2, 5, 10, 20, 50, 125)
BYTES = ("8", "64", "512", "1K", "4K", "16K", "64K")
TREE_SHOWN = (8, 1024, 16384)
TIMES = {"slowest": "slowest process", "mean": "mean", "after_last": "after last", "floor_slowest": "floor (slowest)",
         "floor_mean": "floor (mean)"}
HEAD = """\
# Late processes in a broadcast: the model

<!-- Written by bench/model.py; do not edit. -->

Figures 3, 4 and 6 of paper 000, computed anew, with what its formulas leave out. What all this says: [arrival](../arrival.md).
{made_by}.

"""


def figures(build, trials):
    words = [str(build / "bin/tutti"), "model", "--trials", str(trials), "--unbalance", ",".join(map(str, UNBALANCES)),
             "--bytes", ",".join(BYTES), "--json", "-"]
    ended = subprocess.run(words, capture_output=True, text=True)
    if ended.returncode != 0:
        sys.exit(f"{' '.join(words)}: {ended.stderr.strip()}")
    return json.loads(ended.stdout)


def point(x, value, error=0):
    return x, value, max(value - error, 0), value + error


def draw(options, name, alt, panels, *words, **more):
    folder = options.page.parent / options.page.stem
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.svg").write_text(chart(panels, *words, **more))
    return f"\n![{alt}]({options.page.stem}/{name}.svg)\n"


def number(x):
    return f"{x:g}"


def impact(options, known):
    formula, exact, rows = {}, {}, []
    for curve, points in groupby(known["figure3"], key=lambda row: row["curve"]):
        points = list(points)
        name = f"{curve}, {points[0]['steps']} steps"
        formula[name] = [point(row["unbalance"], row["formula"]) for row in points]
        exact[name] = [point(row["unbalance"], row["exact"]) for row in points]
        rows += [(curve, number(row["unbalance"]), f"{row['formula']:.3f}", f"{row['exact']:.3f}",
                  f"{max(100 * (row['formula'] / row['exact'] - 1), 0):.1f} %",
                  f"{row['monte_carlo']:.3f} ± {row['standard_error']:.3f}")
                 for row in points if row["unbalance"] in SHOWN]
    panels = [("formulas (6) and (7)", formula), ("exact", exact)]
    return ("## Figure 3: impact model\n" + draw(options, "impact", "Impact coefficient by unbalance degree", panels, number,
                                                 "Γ = E(W) / t(m)", "Ψ = k / t(m)", linear=True)
            + f"\nBT among {known['processes']} processes; PBT and CPBT among {known['nodes']} nodes. ±: standard error of "
            f"{known['trials']} trials.\n\n"
            + table(("curve", "Ψ", "Γ by the formula", "Γ exact", "over", "Monte Carlo"), rows))


def times(options, known):
    formula = {name: [point(row["bytes"], row["formula_us"][name]) for row in known["figure4"]]
               for name in known["figure4"][0]["formula_us"]}
    tree = {}
    for row in known["whole_tree"]:
        tree.setdefault(row["curve"], []).append(point(row["bytes"], row["slowest"]["us"], row["slowest"]["standard_error_us"]))
    panels = [("formula (4): the root's time", formula), ("whole tree: the slowest process", tree)]
    rows = [(row["bytes"], f"{row['transfer_us']:.2f}", f"{row['unbalance']:.2f}",
             *(f"{us:.0f}" for us in row["formula_us"].values())) for row in known["figure4"]]
    trees = [(row["bytes"], row["curve"], *(f"{row[name]['us']:.0f} ± {row[name]['standard_error_us']:.1f}" for name in TIMES))
             for row in known["whole_tree"] if row["bytes"] in TREE_SHOWN]
    return (f"\n## Figure 4: performance\n\np = {known['processes']} on {known['nodes']} nodes, α = {known['alpha_us']:g} µs, "
            f"β = {known['beta_us_per_byte']:g} µs/byte, k = {known['k_us']:g} µs; mean times in µs.\n"
            + draw(options, "time", "Time of a broadcast by size", panels, number, "µs", "bytes")
            + "\nBy the formulas:\n\n" + table(("bytes", "t(m)", "Ψ", *known["figure4"][0]["formula_us"]), rows)
            + "\nThe whole tree:\n\n" + table(("bytes", "curve", *TIMES.values()), trees))


def leaders(options, known):
    curves = {}
    for row in known["figure6"]:
        name = "fixed leader" if row["contenders"] == 1 else f"first of {row['contenders']}"
        curves.setdefault(name, []).append((row["x"], row))
    shown = [0, 0.1, 0.25, 0.5, 0.75, 1]
    rows = [(name, *(f"{row['density']:.3f}; {row['distribution']:.3f}" for x, row in points if x in shown))
            for name, points in curves.items()]
    panels = [("Theorem 2", {name: [point(x, row["density"]) for x, row in points] for name, points in curves.items()})]
    return ("\n## Figure 6: arrival of a node's leader\n"
            + draw(options, "leaders", "Density of the leader's arrival", panels, number, "density · k", "arrival / k", linear=True)
            + "\nDensity (of 1/k) and distribution at x/k:\n\n" + table(("leader", *map(number, shown)), rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, help="a build tree, like build/release")
    parser.add_argument("--trials", type=int, default=100_000)
    parser.add_argument("--page", type=Path, default=ROOT / "docs/results/arrival-model.md")
    options = parser.parse_args()
    options.page = options.page.resolve()
    known = figures(options.build.resolve(), options.trials)
    trials = "" if options.trials == parser.get_default("trials") else f" --trials {options.trials}"
    head = HEAD.format(made_by=made_by(f"bench/model.py BUILD{trials}"))
    options.page.write_text(head + impact(options, known) + times(options, known) + leaders(options, known))


if __name__ == "__main__":
    main()
