#!/usr/bin/env python3
"""What the recorder costs: ns for each call, ms for the whole run without calls, and the analysis of a large record.

    bench/recorder.py BUILD [--repetitions 7] [--no-analysis] [--collectives] [--page docs/results/recorder.md]

BUILD is a build tree (build/release). Instrument: wall time, with and without TUTTI_RECORD in turn; medians, and the
least and the most. The call is a broadcast on a communicator of one rank: the shortest of all. With --collectives calls of
eight ranks on the virtual cluster, too (needs root). Without --page the table goes to the terminal.
"""

import argparse
import csv
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

from on_cluster import NAMES, ROOT, bench, ranks_share_cores_evenly, with_range
from page import made_by, table, with_options

sys.path.insert(0, str(ROOT / "src/record/python"))
import tutti_record  # noqa: E402

CALLS = 21 * 200_000  # of a run of tutti-pass-through-<mpi>
REPETITIONS = 21  # of a run of tutti bench
COLLECTIVES = ["barrier", "bcast", "allreduce", "allgather", "alltoall", "reduce"]
HEAD = """\
# The recorder's costs

<!-- Written by bench/recorder.py; do not edit. -->

{made_by}. Medians (least–most) of {repetitions} runs of both kinds in turn, on {cores} cores; a
look at the clock takes {clock:.0f} ns from Python.

"""
TAIL = """
A recorded call looks at the clock twice. The call is on `MPI_COMM_SELF`, which Tutti does not serve, so the MPI is also asked for an
attribute of the communicator; calls on communicators that Tutti serves do without. Asked for: at most 100 ns a call. A record takes
32 bytes a call, and some KB for each rank. Every recorded run left records of all calls that are timed, on each rank.
"""
OF_COLLECTIVES = """
Of the collectives each run's times are taken as ratios to the native calls of the same run, which are not recorded; the
column "without" is a second run of the same, and says what two runs differ by.
"""
LAUNCHERS = {"mpich": ["mpirun.mpich"],
             "openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]}


def run(line, environment):
    began = time.monotonic()
    done = subprocess.run([str(word) for word in line], capture_output=True, text=True, check=False, timeout=300,
                          stdin=subprocess.DEVNULL, env={**os.environ, **environment})
    if done.returncode != 0:
        sys.exit(f"recorder.py: {' '.join(map(str, line))} ended with {done.returncode}\n{done.stderr}")
    return time.monotonic() - began, done.stdout


def clock_ns():
    count = 200_000
    began = time.perf_counter_ns()
    for _ in range(count):
        time.perf_counter_ns()
    return (time.perf_counter_ns() - began) / count


def taken(folder):
    """How many calls each rank has recorded there, the least."""
    ranks = tutti_record.read(folder)
    return min((rank.description["taken"] for rank in ranks), default=0)


def require_records(folder, least, where):
    if (found := taken(folder)) < least:
        sys.exit(f"recorder.py: {where}: a rank recorded {found} calls, of {least}; the page would say that all were recorded")


def recorded_in(folder, is_recorded=True):
    """Settings."""
    return {"TUTTI_RECORD": folder} if is_recorded else {}


def of_calls(options, mpi, folder):
    program = options.build / f"bin/tutti-pass-through-{mpi}"
    preload = {"LD_PRELOAD": str(next(options.build.glob(f"lib*/**/libtutti-{mpi}.so")))}
    per_call = {is_recorded: [] for is_recorded in (False, True)}
    whole = {is_recorded: [] for is_recorded in (False, True)}
    for _ in range(options.repetitions):
        for is_recorded in (False, True):
            # Each run has a folder of its own: one that has a record is refused.
            calls, no_calls = (tempfile.mkdtemp(dir=folder) for _ in range(2))
            text = run([*LAUNCHERS[mpi], "-n", 2, program, "time"], {**preload, **recorded_in(calls, is_recorded)})[1]
            per_call[is_recorded].append(float(re.search(r"difference (-?[\d.]+) ns", text)[1]))
            line = [*LAUNCHERS[mpi], "-n", 2, program, "mpi", 0]
            whole[is_recorded].append(run(line, {**preload, **recorded_in(no_calls, is_recorded)})[0] * 1e3)
            if is_recorded:
                require_records(calls, CALLS, NAMES[mpi])
    return [[f"a call that the native MPI serves, beyond `PMPI_*`, {NAMES[mpi]}", *(f"{with_range(per_call[side], 1)} ns" for side in per_call)],
            [f"a run of 2 ranks without calls, {NAMES[mpi]}", *(f"{with_range(whole[side], 0)} ms" for side in whole)]]


def ratios_of_collectives(options, mpi, settings):
    """Tutti's time by the native one, by collective and size: the native calls of the benchmark are PMPI_*, and are not
    recorded."""
    with tempfile.TemporaryDirectory() as folder:
        rows = pathlib.Path(folder) / "rows.csv"
        bench(options.build, mpi, 4, 2, [*COLLECTIVES, "--sizes", "8,4K,64K", "--repetitions", REPETITIONS, "--csv", rows],
              {"TUTTI_TUNE": "off", **settings})
        with rows.open() as file:
            return {(row["collective"], row["bytes"]): float(row["tutti_us"]) / float(row["native_us"])
                    for row in csv.DictReader(file)}


def of_collectives(options, mpi):
    """bench/collectives.py's calls on the virtual cluster, with the recorder and without in turn. The second `without`
    says what two runs of the same differ by."""
    compared = {False: [], True: []}
    for _ in range(options.repetitions):
        without = ratios_of_collectives(options, mpi, {})
        for is_recorded, ratios in compared.items():
            with tempfile.TemporaryDirectory() as folder:
                those = ratios_of_collectives(options, mpi, recorded_in(folder, is_recorded))
                if is_recorded:
                    require_records(folder, REPETITIONS * len(those), f"{NAMES[mpi]}, collectives")
            ratios.append(statistics.median(those[key] / without[key] for key in without))
    return [[f"`bench/collectives.py`'s calls, 8 ranks on 4 nodes, of the time without, {NAMES[mpi]}",
             *(with_range(ratios) for ratios in compared.values())]]


def of_analysis(options, folder):
    run([sys.executable, "-B", pathlib.Path(__file__).parent / "recorder_synthetic.py", folder], {})
    words = [str(options.build / "bin/tutti"), "report", folder, "--html", f"{folder}/report.html"]
    began = time.monotonic()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    seconds, process.returncode = time.monotonic() - began, os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"recorder.py: {' '.join(words)} ended with {process.returncode}")
    size = pathlib.Path(f"{folder}/report.html").stat().st_size
    return [["analysis of 1,024 ranks × 10,000 calls", "", f"{seconds:.1f} s, {used.ru_maxrss / 1024:.0f} MiB"],
            ["its page", "", f"{size / 1e6:.1f} MB"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--no-analysis", action="store_true")
    parser.add_argument("--collectives", action="store_true", help="on the virtual cluster, too (needs root)")
    parser.add_argument("--page", type=pathlib.Path, help="write it there, like docs/results/recorder.md")
    options = parser.parse_args()
    options.build = options.build.resolve()
    rows = []
    for mpi in LAUNCHERS:
        with tempfile.TemporaryDirectory() as folder:
            rows += of_calls(options, mpi, folder)
    if options.collectives:
        with ranks_share_cores_evenly():
            for mpi in LAUNCHERS:
                rows += of_collectives(options, mpi)
    if not options.no_analysis:
        with tempfile.TemporaryDirectory() as folder:
            rows += of_analysis(options, folder)
    command = with_options("bench/recorder.py BUILD", parser, options, "repetitions", "no_analysis", "collectives").replace("_", "-")
    text = HEAD.format(made_by=made_by(command), repetitions=options.repetitions, cores=len(os.sched_getaffinity(0)), clock=clock_ns())
    text += table(["what", "without", "recorded"], rows) + TAIL + (OF_COLLECTIVES if options.collectives else "")
    if options.page:
        options.page.write_text(text)
    else:
        print(text)


main()
