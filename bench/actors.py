#!/usr/bin/env python3
"""Ranks as threads (`tutti run --actors`) beside ranks as processes: messages, memory, start, and collectives with late ranks.

    bench/actors.py BUILD [--part messages|memory|start|hpcc|leaders|programs ...] [--page FILE]

BUILD is a build tree (build/release; targets tutti, tutti-actors-*, tutti-messages-*, tutti_test_nap, tutti-bench-*, asp-*,
vcc-*). All ways of one row run in turn; figures are medians over repetitions (minimum-maximum).

    messages  ping-pong of two ranks, on one core and on two
    memory    8 ranks behind a barrier: their proportional set sizes
    start     4 and 15 ranks that begin and end: wall time of the launch
    hpcc      HPC Challenge of Debian, its own input
    leaders   broadcasts with CP (first) and P (fixed) of paper 000, agents, and natively, on 4 x 2 and 2 x 4
    programs  ASP and VCC with --imbalance

Needs root. With five repetitions `messages`, `memory`, `start` and `hpcc` take about three minutes each on a machine of two
cores, `programs` a quarter of an hour and `leaders` half an hour.
"""

import argparse
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import served
from arrival import METHODS, PROGRAMS, figures_of, fixed_by, run_program
from on_cluster import MPIS, NAMES, bench, ranks_share_cores_evenly, run_there, size_text, with_range
from page import cells_of, sections_of, table, with_options, write_section

PARTS = ("messages", "memory", "start", "hpcc", "leaders", "programs")
TITLES = {"summary": "In a minute", "messages": "Messages between two ranks", "memory": "Memory: 8 ranks that do nothing",
          "start": "Start and end", "hpcc": "HPC Challenge as Debian has it, 4 ranks", "leaders": "Broadcasts of several processes: mean over ranks of the time inside",
          "programs": "Programs, 4 × 2, in ms"}
PATTERNS = ("none", "uniform:5ms")
HPCC_INPUT = "/usr/share/doc/hpcc/examples/_hpccinf.txt"
HPCC_FIGURES = {"HPL, Gflop/s": ("HPL_Tflops", 1e3), "PTRANS, GB/s": ("PTRANS_GBs", 1), "MPI RandomAccess, MUP/s": ("MPIRandomAccess_GUPs", 1e3),
                "MPI FFT, Gflop/s": ("MPIFFT_Gflops", 1), "ring of 8 bytes in random order, µs": ("RandomlyOrderedRingLatency_usec", 1)}
IDLE_S, SETTLED_S, PATIENCE_S = 3, 0.5, 120
OPENMPI_HERE = ("--allow-run-as-root", "--oversubscribe", "--bind-to", "none")
CORES = {"0": "one", "0,1": "two"}
HEAD = """\
# Ranks as threads

<!-- Written by bench/actors.py; do not edit. -->

[Ranks as threads of one process](../actors.md) (`actors`) beside the same programs natively, with ranks as processes.
Machine: one with two cores, which all ranks share. Medians (minimum–maximum) of runs in turn. Native is measured as it comes
and with ranks that let others run while they wait (MPICH naps, Open MPI yields), and the better one counts.

With late ranks, leaders are whoever comes first (`first`, paper 000's CP) or always the same (`fixed`, its P), with the same method
between processes (BT, RDAAS or RingAAS; BT for programs), or with that which is the default (`actors`). Every broadcast was led
as its column says, as the runs report, or the page had not been written. [Agents](../arrival.md#agents) serve ranks that are
processes. Beside other settings: [late processes](arrival.md).

"""


def middle(values):
    return statistics.median(values)


def ratio(of, to):
    return f"{middle(of) / middle(to):.2f}"


def in_turn(count, ways):
    """{way: what its runs returned}; `ways` has a function for each."""
    found = {way: [] for way in ways}
    for _ in range(count):
        for way, run in ways.items():
            found[way].append(run())
    return found


def as_threads(options, line, report="none"):
    return [options.build / "bin/tutti", "run", "--actors", "--report", report, "--", *line]


def on_cluster_as_threads(options, shape, line, settings, where):
    """Returns the program's output there. Every broadcast of several containers must be led according to the settings;
    other broadcasts have no leaders."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        output = on_cluster(shape, as_threads(options, line, report), settings)
        leader = settings["TUTTI_ACTORS_LEADER"]
        led = {choice: calls for choice, calls in served.in_report(report, "bcast").items() if choice.startswith("hierarchical")}
        served.require(led, lambda choice: choice.endswith("@first") == (leader == "first"), where, f"led by {leader}")
    return output


# On this machine alone


def ways_here(options, mpi, ranks, *words, program=None):
    """{way: command}: natively in two ways, and as threads. Native ones come first."""
    program = program or options.build / f"bin/tutti-messages-{mpi}"
    if mpi == "openmpi":
        kind = "yields"
        spin, rest = ((*OPENMPI_HERE, "--mca", "mpi_yield_when_idle", value) for value in "01")
    else:
        kind = "naps"
        spin, rest = (), ("-genv", "LD_PRELOAD", options.build / "lib/libtutti_test_nap.so")
    line, resting = ([MPIS[mpi], *how, "-n", ranks, program, *words] for how in (spin, rest))
    # Threads that wait sleep by themselves; what is left are processes that begin and end.
    return {"as it comes": line, kind: resting, "actors": as_threads(options, resting if mpi == "openmpi" else line)}


def start_here(command):
    return subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                            start_new_session=True)


def finish(running, command):
    """Returns its output. A command that does not end is ended, and so is this program."""
    try:
        output, _ = running.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGTERM)  # the launcher ends its ranks
        output = "it did not end"
    if running.returncode != 0:
        sys.exit(f"actors.py: {' '.join(map(str, command))}: status {running.returncode}\n{output}")
    return output


def run_here(command):
    return finish(start_here(command), command)


def better(found, lowest=True):
    """The native way of which the median is better, its values, and those of actors."""
    native = {way: values for way, values in found.items() if way != "actors"}
    way = (min if lowest else max)(native, key=lambda name: middle(native[name]))
    return way, native[way], found["actors"]


def ping_pong(command):
    lines = [dict(word.split("=") for word in line.split()) for line in run_here(command).splitlines() if "bytes=" in line]
    return {int(line["bytes"]): (float(line["latency_us"]), float(line["bandwidth_mb_s"])) for line in lines}


def messages(options):
    rows, telling = [], {}
    for mpi in options.mpis:
        for cores, name in CORES.items():
            found = in_turn(options.repetitions,
                            {way: lambda command=("taskset", "-c", cores, *line): ping_pong(command)
                             for way, line in ways_here(options, mpi, 2).items()})
            for size in found["actors"][0]:
                way, native, actors = better({one: [run[size][0] for run in runs] for one, runs in found.items()})
                speeds = [with_range([run[size][1] for run in found[one]], 0) for one in (way, "actors")]
                rows.append([NAMES[mpi], name, size_text(size), way, with_range(native), with_range(actors), ratio(actors, native),
                             *speeds])
                if size == min(found["actors"][0]):
                    telling[f"latency of 8 bytes, two ranks on {name} core{'s' * (name == 'two')}", mpi] = ratio(actors, native)
    head = ("MPI", "cores", "bytes", "native that", "native, µs", "actors, µs", "ratio", "native, MB/s", "actors, MB/s")
    return table(head, rows), telling


def children():
    """{process: those that it has begun}."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parent = (folder / "stat").read_text().rsplit(")", 1)[1].split()[1]
        except OSError:
            continue  # has ended
        found.setdefault(int(parent), []).append(int(folder.name))
    return found


def family(first):
    known, waiting = children(), [first]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += known.get(one, [])


def proportional_kib(launcher):
    """Returns the memory of all ranks and of the processes that stand in for ranks."""
    total = 0
    for process in family(launcher):
        folder = pathlib.Path(f"/proc/{process}")
        if folder.joinpath("exe").readlink().name.startswith(("tutti-messages-", "tutti-actors-")):
            lines = folder.joinpath("smaps_rollup").read_text().splitlines()
            total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total


def memory_of(command, ranks):
    """MiB of each rank."""
    running = start_here(command)
    if running.stdout.readline() != "idle\n":
        finish(running, command)
        sys.exit("actors.py: a run was not idle")
    time.sleep(SETTLED_S)
    total = proportional_kib(running.pid)
    finish(running, command)
    return total / 1024 / ranks


def memory(options):
    ranks, rows, telling = 8, [], {}
    for mpi in options.mpis:
        lines = ways_here(options, mpi, ranks, "--idle", IDLE_S)
        found = in_turn(options.repetitions, {way: lambda line=line: memory_of(line, ranks) for way, line in lines.items()})
        native, actors = found["as it comes"], found["actors"]
        rows.append([NAMES[mpi], with_range(native), with_range(actors), ratio(actors, native)])
        telling[f"memory of a rank, {ranks} ranks", mpi] = ratio(actors, native)
    return table(("MPI", "native, MiB a rank", "actors, MiB a rank", "ratio"), rows), telling


def duration_ms(command):
    begin = time.monotonic()
    run_here(command)
    return (time.monotonic() - begin) * 1e3


def start(options):
    rows, telling = [], {}
    for mpi in options.mpis:
        for ranks in (4, 15):
            lines = ways_here(options, mpi, ranks, "--start")
            way, native, actors = better(in_turn(options.repetitions, {one: lambda line=line: duration_ms(line)
                                                                       for one, line in lines.items()}))
            rows.append([NAMES[mpi], ranks, way, with_range(native, 0), with_range(actors, 0), ratio(actors, native)])
            if ranks == 15:
                telling[f"start of {ranks} ranks", mpi] = ratio(actors, native)
    return table(("MPI", "ranks", "native that", "native, ms", "actors, ms", "ratio"), rows), telling


def hpcc_figures(command):
    """{name: value} of a run of HPC Challenge, with its wall time."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(HPCC_INPUT, pathlib.Path(folder) / "hpccinf.txt")
        found = {"wall time, s": duration_ms(["env", "-C", folder, *command]) / 1e3}
        lines = (pathlib.Path(folder) / "hpccoutf.txt").read_text().splitlines()
    if not any("End of HPC Challenge tests" in line for line in lines) or any("FAILED" in line for line in lines):
        sys.exit(f"actors.py: hpcc failed: {' '.join(map(str, command))}")
    figures = dict(line.split("=", 1) for line in lines if line.count("=") == 1 and not line.startswith(("=", " ")))
    return found | {name: float(figures[key]) * factor for name, (key, factor) in HPCC_FIGURES.items()}


def hpcc(options):
    """Debian's, which is built for Open MPI."""
    rows, telling = [], {}
    if "openmpi" in options.mpis:
        lines = ways_here(options, "openmpi", 4, program="/usr/bin/hpcc")
        found = in_turn(options.repetitions, {way: lambda line=line: hpcc_figures(line) for way, line in lines.items()})
        for name in found["actors"][0]:
            is_time = name.endswith((", s", "µs"))
            way, native, actors = better({one: [run[name] for run in runs] for one, runs in found.items()}, lowest=is_time)
            rows.append([name, way, with_range(native, 3), with_range(actors, 3), ratio(actors, native)])
            if name.startswith("wall"):
                telling["wall time of HPC Challenge, 4 ranks", "openmpi"] = ratio(actors, native)
    return table(("figure", "native that", "native", "actors", "ratio"), rows), telling


# On the virtual cluster


def on_cluster(shape, words, settings):
    """Returns the output of `words` there. A run that does not end ends this program."""
    try:
        return run_there(*shape, words, settings, limit_s=PATIENCE_S)
    except subprocess.TimeoutExpired:
        sys.exit(f"actors.py: it did not end: {' '.join(map(str, words))} (with {settings})")


def broadcasts(options, mpi, shape, arrivals, settings, how):
    """{bytes: µs}: the mean over ranks of the time inside, and the floor below it."""
    nodes, per_node = shape
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "rows.json"
        words = ["bcast", "--sizes", "8,64K,1M", "--arrivals", arrivals, "--repetitions", 3, "--calls", 20, "--warm-up", 20,
                 "--json", out]
        if how == "agents":
            bench(options.build, mpi, nodes, per_node, words, settings)
        else:
            line = [MPIS[mpi], "-n", nodes * per_node, options.build / f"libexec/tutti/tutti-bench-{mpi}", *words]
            if how == "actors":
                on_cluster_as_threads(options, shape, line, settings, f"{NAMES[mpi]}, bcast, {settings}")
            else:
                on_cluster(shape, line, settings)
        rows = json.loads(out.read_text())["measurements"]
    for row in rows if how == "agents" else ():
        served.require(row["served"], served.by("agent"), f"{NAMES[mpi]}, bcast of {size_text(row['bytes'])}", "by agents")
    side = "tutti" if how == "agents" else "native"  # without Tutti's library both sides are what runs the ranks
    return {row["bytes"]: tuple(middle(row[side][name]) for name in ("mean_us", "floor_mean_us")) for row in rows}


def ways_there():
    """{way: (how, settings)}."""
    ways = {"native": ("native", {}), "agents": ("agents", {"TUTTI_TUNE": "off", "TUTTI_BCAST": "agent"}),
            "actors": ("actors", {"TUTTI_ACTORS_LEADER": "first"})}
    for name, between in METHODS.items():
        for leader in ("first", "fixed"):
            ways[f"{leader}, {name}"] = ("actors", {"TUTTI_ACTORS_LEADER": leader, "TUTTI_BCAST": fixed_by(between)})
    return ways


def leaders(options):
    rows, telling = [], {}
    for mpi in options.mpis:
        for shape in ((4, 2), (2, 4)):
            for arrivals in PATTERNS:
                found = in_turn(options.repetitions,
                                {way: lambda how=how, settings=settings: broadcasts(options, mpi, shape, arrivals, settings, how)
                                 for way, (how, settings) in ways_there().items()})
                for size in found["native"][0]:
                    times = {way: [run[size][0] for run in runs] for way, runs in found.items()}
                    rows.append([NAMES[mpi], "{} × {}".format(*shape), arrivals, size_text(size),
                                 with_range([run[size][1] for run in found["native"]], 0),
                                 *(with_range(values, 0) for values in times.values()), ratio(times["actors"], times["native"]),
                                 *(ratio(times[f"first, {name}"], times[f"fixed, {name}"]) for name in METHODS)])
                    if (shape, arrivals, size) == ((4, 2), "uniform:5ms", 65536):
                        telling["broadcasts of 64 KiB, 4 × 2, ranks late by up to 5 ms", mpi] = ratio(times["actors"], times["native"])
    head = ("MPI", "nodes × ranks", "arrivals", "bytes", "floor", *ways_there(), "actors : native",
            *(f"first : fixed, {name}" for name in METHODS))
    return table(head, rows), telling


def programs(options):
    rows, telling = [], {}
    for mpi in options.mpis:
        for program, words in PROGRAMS.items():
            line = [MPIS[mpi], "-n", 8, options.build / f"bin/{program}-{mpi}", *words, "--imbalance", "uniform:5ms"]
            ways = {"native": lambda line=line: figures_of(on_cluster((4, 2), line, {})),
                    "agents": lambda line=line, where=f"{NAMES[mpi]}, {program}": run_program(options, line, "agents", where)[0],
                    **{policy: lambda line=line, policy=policy, where=f"{NAMES[mpi]}, {program}": figures_of(on_cluster_as_threads(
                        options, (4, 2), line, {"TUTTI_ACTORS_LEADER": policy, "TUTTI_BCAST": fixed_by(METHODS["BT"])}, where))
                       for policy in ("first", "fixed")}}
            found = in_turn(options.repetitions, ways)
            for name in ("bcast_mean_s", "total_s"):
                times = {way: [1e3 * run[name] for run in runs] for way, runs in found.items()}
                rows.append([NAMES[mpi], program, name.removesuffix("_s").replace("_", ", "),
                             *(with_range(values, 0) for values in times.values()), ratio(times["first"], times["native"])])
                if (program, name) == ("asp", "bcast_mean_s"):
                    telling["time in broadcasts of ASP, 4 × 2, ranks late by up to 5 ms", mpi] = ratio(times["first"], times["native"])
    return table(("MPI", "program", "time", "native", "agents", "actors, first", "actors, fixed", "first : native"), rows), telling


ROWS = ("latency of 8 bytes, two ranks on one core", "latency of 8 bytes, two ranks on two cores", "memory of a rank, 8 ranks",
        "start of 15 ranks", "wall time of HPC Challenge, 4 ranks", "broadcasts of 64 KiB, 4 × 2, ranks late by up to 5 ms",
        "time in broadcasts of ASP, 4 × 2, ranks late by up to 5 ms")


def summary(page, telling):
    """The ratios of actors to native that tell most. What is not measured again stays."""
    known = {(row[0], mpi): value for row in cells_of(sections_of(page).get(TITLES["summary"], ""))
             for mpi, value in zip(MPIS, row[1:])}
    known.update(telling)
    rows = [[name, *(known.get((name, mpi), "–") for mpi in MPIS)] for name in ROWS if any((name, mpi) in known for mpi in MPIS)]
    return table(("actors : native", *(NAMES[mpi] for mpi in MPIS)), rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda text: pathlib.Path(text).resolve(), help="a build tree, like build/release")
    parser.add_argument("--part", action="append", choices=PARTS, help="only this part")
    parser.add_argument("--mpi", dest="mpis", choices=MPIS, action="append", help="only this MPI")
    parser.add_argument("--repetitions", type=int, default=5, help="of every run (5)")
    parser.add_argument("--page", type=pathlib.Path, help="write it there, like docs/results/actors.md; parts that are not measured stay as they are")
    options = parser.parse_args()
    options.mpis = options.mpis or list(MPIS)
    with ranks_share_cores_evenly():
        for part in options.part or PARTS:
            text, telling = globals()[part](options)
            print(f"## {TITLES[part]}\n\n{text}", flush=True)
            if options.page:
                command = with_options(f"bench/actors.py BUILD --part {part}", parser, options, "repetitions")
                write_section(options.page, HEAD, TITLES, "summary", summary(options.page, telling), command)
                write_section(options.page, HEAD, TITLES, part, text, command)


if __name__ == "__main__":
    main()
