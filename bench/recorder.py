#!/usr/bin/env python3
"""What the recorder costs: ns for each call, ms for the whole run without calls, and the analysis of a large record.

    bench/recorder.py BUILD [--repetitions 7] [--no-analysis] [--collectives]

BUILD is a build tree (build/release). Instrument: wall time, with and without TUTTI_RECORD in turn; medians, and the
least and the most. The call is a broadcast on a communicator of one rank: the shortest of all.
"""

import argparse
import csv
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

from on_cluster import bench, ranks_share_cores_evenly, with_range
from page import made_by

COLLECTIVES = ["barrier", "bcast", "allreduce", "allgather", "alltoall", "reduce"]
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


def words(values, unit):
    return f"{statistics.median(values):.1f} ({min(values):.1f}–{max(values):.1f}) {unit}"


def of_calls(options, mpi, folder):
    program = options.build / f"bin/tutti-pass-through-{mpi}"
    preload = {"LD_PRELOAD": str(next(options.build.glob(f"lib*/**/libtutti-{mpi}.so")))}
    # Each run has a folder of its own: one that has a record is refused.
    sides = {"without": lambda: preload, "with": lambda: {**preload, "TUTTI_RECORD": tempfile.mkdtemp(dir=folder)}}
    per_call = {side: [] for side in sides}
    whole = {side: [] for side in sides}
    for _ in range(options.repetitions):
        for side, environment in sides.items():
            text = run([*LAUNCHERS[mpi], "-n", 2, program, "time"], environment())[1]
            per_call[side].append(float(re.search(r"difference (-?[\d.]+) ns", text)[1]))
            whole[side].append(run([*LAUNCHERS[mpi], "-n", 2, program, "mpi", 0], environment())[0] * 1e3)
    print(f"{mpi}: a call natively served costs {words(per_call['without'], 'ns')} more than PMPI_*, recorded "
          f"{words(per_call['with'], 'ns')}")
    print(f"{mpi}: a run without calls takes {words(whole['without'], 'ms')}, recorded {words(whole['with'], 'ms')}")


def ratios_of_collectives(options, mpi, settings):
    """Tutti's time by the native one, by collective and size: the native calls of the benchmark are PMPI_*, and are not
    recorded."""
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "table.csv"
        bench(options.build, mpi, 4, 2, [*COLLECTIVES, "--sizes", "8,4K,64K", "--repetitions", "21", "--csv", table],
              {"TUTTI_TUNE": "off", **settings})
        with table.open() as file:
            return {(row["collective"], row["bytes"]): float(row["tutti_us"]) / float(row["native_us"])
                    for row in csv.DictReader(file)}


def of_collectives(options, mpi):
    """bench/collectives.py's calls on the virtual cluster, with the recorder and without in turn. The second `without`
    says what two runs of the same differ by."""
    compared = {"recorded": [], "once more without": []}
    for _ in range(options.repetitions):
        with tempfile.TemporaryDirectory() as folder:
            without = ratios_of_collectives(options, mpi, {})
            for name, settings in (("recorded", {"TUTTI_RECORD": folder}), ("once more without", {})):
                ratios = ratios_of_collectives(options, mpi, settings)
                compared[name].append(statistics.median(ratios[key] / without[key] for key in without))
    for name, values in compared.items():
        print(f"{mpi}: collectives of 8 ranks on 4 nodes, {name}: {with_range(values)} of the time without")


def of_analysis(options, folder):
    run([sys.executable, "-B", pathlib.Path(__file__).parent / "recorder_synthetic.py", folder], {})
    seconds, _ = run([options.build / "bin/tutti", "report", folder, "--html", f"{folder}/report.html"], {})
    most_kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    size = pathlib.Path(f"{folder}/report.html").stat().st_size
    print(f"1,024 ranks × 10,000 calls: {seconds:.1f} s, at most {most_kib / 1024:.0f} MiB (with the maker of the record), "
          f"page {size / 1e6:.1f} MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--no-analysis", action="store_true")
    parser.add_argument("--collectives", action="store_true", help="on the virtual cluster, too (needs root)")
    options = parser.parse_args()
    options.build = options.build.resolve()
    print(f"{made_by('bench/recorder.py BUILD --collectives')}.\na look at the clock takes {clock_ns():.0f} ns from Python; a recorded call takes two")
    for mpi in LAUNCHERS:
        with tempfile.TemporaryDirectory() as folder:
            of_calls(options, mpi, folder)
    if options.collectives:
        with ranks_share_cores_evenly():
            for mpi in LAUNCHERS:
                of_collectives(options, mpi)
    if not options.no_analysis:
        with tempfile.TemporaryDirectory() as folder:
            of_analysis(options, folder)


main()
