#!/usr/bin/env python3
"""Predicts calls on the virtual cluster by a machine that was fitted to other calls there; writes docs/results/prediction.md.

    bench/predict.py BUILD [--page docs/results/prediction.md] [--measured FOLDER]

BUILD is a build tree (build/release). Needs root, for the virtual cluster. `tutti bench` measures, `tutti simulate --fit` gets
the calls of a few collectives, `tutti simulate` says what the others take. Ten minutes on a quiet machine. --measured keeps
the measurements in FOLDER, or takes those that are there, as `bench/collectives.py --keep FOLDER` leaves them.
"""

import argparse
import collections
import json
import pathlib
import statistics
import tempfile

import served
from collectives import RUNS, file_of
from command import output_of
from on_cluster import MPIS, NAMES, ROOT, bench, ranks_share_cores_evenly, size_text
from page import made_by

NODES, RANKS_PER_NODE = 4, 2
REPETITIONS = 11
FITTED = ("bcast", "allgather", "alltoall", "allreduce")
# A call is bound by links where the busiest link, at the rate measured in the same run, is busy for this part of its time.
BOUND_BY_LINKS = 0.5
ASKED = 0.2
HEAD = """\
# Predictions for the virtual cluster

<!-- Written by bench/predict.py; do not edit. -->

Instrument: [virtual cluster](../howto/virtual-cluster.md), {nodes} nodes × {per_node} ranks on two cores, 1 Gbit/s, medians of
{repetitions} repetitions of the slowest rank. A machine is fitted ([`tutti simulate --fit`](../simulation.md#machines)) to the calls of
{fitted} alone; what the calls of all other collectives take is predicted on it, with the
algorithms that served them. *Bound by links*: the busiest link needs at least {bound:.0%} of the time. Errors are
|predicted / measured - 1|; asked for: a median of at most {asked:.0%} where links bind. A link of the virtual cluster lets the first
32 KiB after a rest pass faster than its rate, which no machine file can say: calls that send little are predicted too long.

{made_by}{source}; all calls of a row were served by its algorithm.

"""


def measure(build, mpi, folder):
    """What was measured, from FOLDER or now."""
    documents = []
    for number, (names, sizes) in enumerate(RUNS):
        file = folder / file_of(mpi, number)
        if not file.exists():
            bench(build, mpi, NODES, RANKS_PER_NODE, [*names, "--sizes", sizes, "--repetitions", REPETITIONS, "--json", file],
                  {"TUTTI_TUNE": "off"})
        documents.append(json.loads(file.read_text()))
    return {**documents[0], "measurements": [one for document in documents for one in document["measurements"]]}


def fit(tutti, measured, folder):
    """File of the machine."""
    chosen = {**measured, "measurements": [one for one in measured["measurements"] if one["collective"] in FITTED]}
    (folder / "chosen.json").write_text(json.dumps(chosen))
    machine = folder / "machine.json"
    machine.write_text(output_of([tutti, "simulate", "--fit", folder / "chosen.json"]))
    return machine


def predict(tutti, machine, calls):
    """Microseconds of each (collective, algorithm, bytes)."""
    sizes = collections.defaultdict(list)
    for collective, choice, size in calls:
        sizes[collective, choice].append(size)
    times = {}
    for (collective, choice), those in sizes.items():
        cells = json.loads(output_of([tutti, "simulate", collective, "--algorithm", choice, "--nodes", NODES, "--ranks-per-node",
                                      RANKS_PER_NODE, "--machine", machine, "--sizes", ",".join(map(str, those)), "--json", "-"]))["cells"]
        times.update({(collective, choice, size): cell["whole_ns"] / 1000 for size, cell in zip(those, cells)})
    return times


def rows_of(tutti, measured, folder):
    """Collective, algorithm, bytes, measured and predicted us, whether links bind: of calls that were not fitted to."""
    others = [one for one in measured["measurements"] if one["collective"] not in FITTED and one["choice"] not in ("native", "")]
    calls = {(one["collective"], one["choice"], one["bytes"]): one for one in others}
    for (collective, choice, size), one in calls.items():
        served.require(one["served"], served.by(choice), f"{collective} of {size} bytes", f"by {choice}")
    times = predict(tutti, fit(tutti, measured, folder), calls)
    rows = []
    for key, one in calls.items():
        us = statistics.median(one["tutti_us"])
        rows.append((*key, us, times[key], one["limit_us"] >= BOUND_BY_LINKS * us))
    return rows


def summary(name, rows):
    errors = sorted(abs(predicted / us - 1) for *_, us, predicted, _ in rows)
    ninth = errors[min(len(errors) - 1, len(errors) * 9 // 10)]
    return f"| {name} | {len(errors)} | {statistics.median(errors):.0%} | {ninth:.0%} |"


def page(results):
    lines = ["| | calls | median error | nine of ten within |", "|---|---|---|---|"]
    for mpi, rows in results.items():
        for name, is_bound in (("bound by links", True), ("others", False)):
            those = [row for row in rows if row[-1] == is_bound]
            lines += [summary(f"{NAMES[mpi]}, {name}", those)] if those else []
    for mpi, rows in results.items():
        lines += ["", f"## {NAMES[mpi]}", "", "| collective | algorithm | size | measured µs | predicted µs | ratio | bound by links |",
                  "|---|---|---|---|---|---|---|"]
        for collective, choice, size, us, predicted, is_bound in rows:
            text = "–" if collective == "barrier" else size_text(size)
            lines.append(f"| {collective} | {choice} | {text} | {us:.0f} | {predicted:.0f} | {predicted / us:.2f} | "
                         f"{'yes' if is_bound else ''} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path, help="a build tree, like build/release")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs/results/prediction.md")
    parser.add_argument("--measured", type=pathlib.Path, help="folder that keeps what was measured")
    options = parser.parse_args()
    build = options.build.resolve()
    results, repetitions, is_new = {}, 0, not (options.measured and options.measured.exists())
    with tempfile.TemporaryDirectory() as name, ranks_share_cores_evenly():
        folder = options.measured or pathlib.Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        for mpi in MPIS:
            measured = measure(build, mpi, folder)
            repetitions = len(measured["measurements"][0]["tutti_us"])
            results[mpi] = rows_of(build / "bin/tutti", measured, pathlib.Path(name))
    command = "bench/predict.py BUILD" + ("" if is_new else " --measured FOLDER")
    head = HEAD.format(nodes=NODES, per_node=RANKS_PER_NODE, repetitions=repetitions, bound=BOUND_BY_LINKS, asked=ASKED,
                       made_by=made_by(command), source="" if is_new else ", from the measurements of [collectives](collectives.md)", fitted=", ".join(FITTED[:-1]) + f" and {FITTED[-1]}")
    options.page.write_text(head + page(results))


if __name__ == "__main__":
    main()
