#!/usr/bin/env python3
"""Late processes, on the virtual cluster: the MPI's own collectives, fixed leaders (paper 000's P), agents, and Tutti as it
comes, which finds out by itself (after 150 calls, in which it does so).

    bench/arrival.py BUILD [--part tables|methods|others|programs ...] [--page FILE]

BUILD is a build tree (build/release; targets tutti, tutti-bench-*, tutti-idle-*, asp-*, vcc-*). Needs root. Times are medians over
repetitions (minimum-maximum) in us. Every row of Tutti was measured in turn with a native one in the same run; `ratio` is
that of its mean to that of the native one.

    tables    broadcasts of three lengths, three patterns: the mean over ranks of the time inside
    methods   between nodes a binomial tree (BT), RDAAS and RingAAS: fixed leaders and agents, on 4 x 2 and 2 x 4
    others    every other collective that agents serve: from the last arrival to the last exit
    straggler one rank that always comes 20 ms late: long broadcasts and allreduces
    programs  ASP and VCC with --imbalance: time in broadcasts, and all of it
    idle      CPU time and memory of processes that have agents and do nothing

On a machine of two cores `tables` takes ten minutes, and the other parts a quarter of an hour each.
"""

import argparse
import json
import pathlib
import statistics
import tempfile

import served
from on_cluster import MPIS, NAMES, bench, ranks_share_cores_evenly, run_there, size_text, with_range
from page import table, with_options, write_section

PARTS = ("tables", "straggler", "methods", "others", "programs", "idle")
TITLES = {"tables": "Broadcasts, 4 × 2: mean over ranks of the time inside",
          "straggler": "One late rank, 4 × 2: mean over ranks of the time inside",
          "methods": "Methods between nodes: mean over ranks of the time inside",
          "others": "From the last arrival to the last exit, 4 × 2", "programs": "Programs, 4 × 2, in ms",
          "idle": "Idle: 8 ranks that do nothing, 4 × 2"}
# The options that say how often each part measures.
REPEATED = {part: ["runs" if part in ("programs", "idle") else "repetitions"] for part in PARTS}
PATTERNS = ("none", "uniform:5ms", "uniform:20ms")
METHODS = {"BT": "knomial:radix=2", "RDAAS": "rdaas", "RingAAS": "ringaas"}
OTHERS = ("barrier", "reduce", "allreduce", "reduce_scatter_block", "allgather", "gather", "scatter", "alltoall")
PROGRAMS = {name: ("--vertices", "2048", "--no-verify") for name in ("asp", "vcc")}
HEAD = """\
# Late processes

<!-- Written by bench/arrival.py; do not edit. -->

What late ranks cost natively, by Tutti's rules (`rules`: fixed leaders, or the MPI's own code: *same code*), with fixed leaders
whatever the rules say (`P` of paper 000), with [agents](../arrival.md#agents), and with Tutti as it comes, which finds out by
itself who is late (`Tutti`, after 150 calls in which it does so). `P` and `agents` served every call, or the page had not been written.
Machine: one with two cores, which all ranks and agents share. Times in µs, medians (minimum–maximum); `floor` is what
nobody can avoid: waiting for data that is not there yet.

What the tables say: [notes](notes/arrival.md). Ranks of a node as threads of one process, beside all of these: [ranks as threads](actors.md).

"""


def measure(options, mpi, nodes, per_node, words, settings, warm_up=20):
    """Rows of `tutti bench`: {"bytes", "native": {...}, "tutti": {...}, "choice", "served", ...}."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "rows.json"
        counts = ["--repetitions", options.repetitions, "--calls", 20, "--warm-up", warm_up]
        bench(options.build, mpi, nodes, per_node, [*words, *counts, "--json", out], {"TUTTI_TUNE": "off", **settings})
        return json.loads(out.read_text())["measurements"]


def measure_by(name, options, mpi, nodes, per_node, words, choice):
    """The same, where an algorithm called `name` serves every call."""
    rows = measure(options, mpi, nodes, per_node, words, {f"TUTTI_{words[0].upper()}": choice})
    for row in rows:
        served.require(row["served"], served.by(name), f"{NAMES[mpi]}, {words[0]} of {size_text(row['bytes'])}", f"by {choice}")
    return rows


def measure_default(options, mpi, nodes, per_node, words):
    return measure(options, mpi, nodes, per_node, words, {"TUTTI_TUNE": "on"}, warm_up=150)


def figure(row, side, name):
    return with_range(row[side][name], 0)


def ratio(row, name="mean_us"):
    if served.is_same_code(row["served"]):
        return "same code"
    return f"{statistics.median(row['tutti'][name]) / statistics.median(row['native'][name]):.2f}"


def tables(options):
    """The floor, and the mean times of three ways."""
    rows = []
    for mpi in options.mpis:
        for arrivals in PATTERNS:
            words = ["bcast", "--sizes", "8,64K,1M", "--arrivals", arrivals]
            by_rules = measure(options, mpi, 4, 2, words, {})
            by_agents = measure_by("agent", options, mpi, 4, 2, words, "agent")
            by_itself = measure_default(options, mpi, 4, 2, words)
            rows += [[NAMES[mpi], arrivals, size_text(fixed["bytes"]), figure(fixed, "native", "floor_mean_us"),
                      figure(fixed, "native", "mean_us"), figure(fixed, "tutti", "mean_us"), ratio(fixed),
                      figure(agent, "tutti", "mean_us"), ratio(agent), figure(default, "tutti", "mean_us"), ratio(default)]
                     for fixed, agent, default in zip(by_rules, by_agents, by_itself)]
    head = ("MPI", "arrivals", "bytes", "floor", "native", "rules", "ratio", "agents", "ratio", "Tutti", "ratio")
    return table(head, rows)


def straggler(options):
    rows = []
    for mpi in options.mpis:
        for collective in ("bcast", "allreduce"):
            words = [collective, "--sizes", "64K,1M", "--arrivals", "straggler:rank=3,20ms"]
            by_rules = measure(options, mpi, 4, 2, words, {})
            rows += [[NAMES[mpi], collective, size_text(fixed["bytes"]), figure(fixed, "native", "floor_mean_us"),
                      figure(fixed, "native", "mean_us"), figure(fixed, "tutti", "mean_us"), ratio(fixed),
                      figure(default, "tutti", "mean_us"), ratio(default), served.text(default["served"])]
                     for fixed, default in zip(by_rules, measure_default(options, mpi, 4, 2, words))]
    head = ("MPI", "collective", "bytes", "floor", "native", "rules", "ratio", "Tutti", "ratio", "served by")
    return table(head, rows)


def methods(options):
    rows = []
    for mpi in options.mpis:
        for nodes, per_node in ((4, 2), (2, 4)):
            for arrivals in PATTERNS:
                words = ["bcast", "--sizes", "64K,1M", "--arrivals", arrivals]
                for name, between in METHODS.items():
                    fixed = measure_by("hierarchical", options, mpi, nodes, per_node, words, fixed_by(between))
                    agents = measure_by("agent", options, mpi, nodes, per_node, words, f"agent:{between}")
                    rows += [[NAMES[mpi], f"{nodes} × {per_node}", arrivals, name, size_text(p["bytes"]),
                              figure(p, "native", "mean_us"), figure(p, "tutti", "mean_us"), ratio(p),
                              figure(a, "tutti", "mean_us"), ratio(a)] for p, a in zip(fixed, agents)]
    head = ("MPI", "nodes × ranks", "arrivals", "between nodes", "bytes", "native", "P", "ratio", "agents", "ratio")
    return table(head, rows)


def fixed_by(between):
    return f"hierarchical:inter={between.split(':')[0]}"


def others(options):
    rows = []
    for mpi in options.mpis:
        for collective in OTHERS:
            sizes = ["--sizes", "0" if collective == "barrier" else "8,16K"]
            even, late = ([collective, *sizes, "--arrivals", arrivals] for arrivals in ("none", "uniform:20ms"))
            rows += [[NAMES[mpi], collective, size_text(found[0]["bytes"]), *(figure(one, "native", "after_last_us") for one in found[:2]),
                      *(figure(one, "tutti", "after_last_us") for one in found)]
                     for found in zip(measure_by("agent", options, mpi, 4, 2, even, "agent"),
                                      measure_by("agent", options, mpi, 4, 2, late, "agent"), measure_default(options, mpi, 4, 2, late))]
    head = ("MPI", "collective", "bytes", "native, even", "native, U[0, 20 ms]", "agents, even", "agents, U[0, 20 ms]",
            "Tutti, U[0, 20 ms]")
    return table(head, rows)


def figures_of(output):
    words = dict(word.split("=", 1) for line in output.splitlines() if "bcast" in line for word in line.split() if "=" in word)
    return {name: float(words[name]) for name in ("bcast_mean_s", "total_s")}


# Ways to run a program: settings, and the algorithm that must serve every broadcast. Broadcasts of these programs
# have 8 KiB, for which the rules choose the native MPI: P must be requested.
WAYS = {"native": (None, None), "P": ({"TUTTI_TUNE": "off", "TUTTI_BCAST": fixed_by(METHODS["BT"])}, "hierarchical"),
        "agents": ({"TUTTI_TUNE": "off", "TUTTI_BCAST": "agent"}, "agent"), "Tutti": ({}, None)}


def run_program(options, line, way, where):
    """Its figures, and broadcasts by what served them."""
    settings, name = WAYS[way]
    if settings is None:
        return figures_of(run_there(4, 2, line)), {}
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        output = run_there(4, 2, [options.build / "bin/tutti", "run", "--report", report, "--", *line], settings)
        broadcasts = served.in_report(report, "bcast")
    if name is not None:
        served.require(broadcasts, served.by(name), f"{where}, {way}", f"by {settings['TUTTI_BCAST']}")
    return figures_of(output), broadcasts


def programs(options):
    rows = []
    for mpi in options.mpis:
        for program, words in PROGRAMS.items():
            for arrivals in options.imbalances or ("none", "uniform:5ms"):
                line = [MPIS[mpi], "-n", 8, options.build / f"bin/{program}-{mpi}", *words, "--imbalance", arrivals]
                found, broadcasts = {way: [] for way in WAYS}, {}
                for _ in range(options.runs):
                    for way in WAYS:
                        figures, by_choice = run_program(options, line, way, f"{NAMES[mpi]}, {program}")
                        found[way].append(figures)
                        broadcasts[way] = served.added(broadcasts.get(way, {}), by_choice)
                for name in ("bcast_mean_s", "total_s"):
                    rows.append([NAMES[mpi], program, arrivals, name.removesuffix("_s").replace("_", ", "),
                                 *(with_range([1e3 * run[name] for run in found[way]], 0) for way in WAYS),
                                 served.text(broadcasts["Tutti"])])
    return table(("MPI", "program", "imbalance", "time", *WAYS, "Tutti: broadcasts served"), rows)


def idle(options):
    seconds, rows = 5, []
    for mpi in options.mpis:
        line = [MPIS[mpi], "-n", 8, options.build / f"bin/tutti-idle-{mpi}", seconds]
        under = [options.build / "bin/tutti", "run", "--", *line]
        for name, command, settings in (("native", line, {}), ("Tutti", under, {}), ("agents", under, {"TUTTI_BCAST": "agent"})):
            found = [dict(word.split("=") for word in run_there(4, 2, command, settings).split() if "=" in word)
                     for _ in range(options.runs)]
            rows.append([NAMES[mpi], name, *(with_range([float(one[key]) for one in found], 1) for key in ("cpu_ms", "resident_mib"))])
    head = ("MPI", "", f"CPU time of all ranks in {seconds} s, ms", "resident sets, MiB")
    return table(head, rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda text: pathlib.Path(text).resolve(), help="a build tree, like build/release")
    parser.add_argument("--part", action="append", choices=PARTS, help="only this part")
    parser.add_argument("--mpi", dest="mpis", choices=MPIS, action="append", help="only this MPI")
    parser.add_argument("--repetitions", type=int, default=7, help="of tutti bench (7)")
    parser.add_argument("--runs", type=int, default=3, help="of each program (3)")
    parser.add_argument("--imbalance", dest="imbalances", action="append", metavar="PATTERN", help="of programs, only this one, like uniform:5ms")
    parser.add_argument("--page", type=pathlib.Path, help="write it there, like docs/results/arrival.md; parts that are not measured stay as they are")
    options = parser.parse_args()
    options.mpis = options.mpis or list(MPIS)
    with ranks_share_cores_evenly():
        for part in options.part or PARTS:
            text = globals()[part](options)
            print(f"## {TITLES[part]}\n\n{text}", flush=True)
            if options.page:
                command = with_options(f"bench/arrival.py BUILD --part {part}", parser, options, *REPEATED[part])
                if part == "programs":
                    command += "".join(f" --imbalance {one}" for one in options.imbalances or ())
                write_section(options.page, HEAD, TITLES, part, text, command)


if __name__ == "__main__":
    main()
