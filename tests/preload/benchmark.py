#!/usr/bin/env python3
"""What `tutti bench` says of its rows: every collective is there and right, who served the calls, where both sides ran the
same code, and what the ranks worked for it.

    benchmark.py --tutti build/bin/tutti --mpi mpich [--nap LIB]
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

AS_ROOT = ["--allow-run-as-root"] if os.geteuid() == 0 else []
LAUNCHERS = {"mpich": ["mpirun.mpich"], "openmpi": ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", *AS_ROOT]}
TIMEOUT_S = 240
RANKS = 4
SETTINGS = {"TUTTI_NODES": "0,0,1,1", "TUTTI_LINKS": "slow", "TUTTI_TUNE": "off", "TUTTI_BCAST": "native", "TUTTI_ALLREDUCE": "ring:segment=4K"}
CHOICES = {"bcast": "native", "allreduce": "ring:segment=4K"}


def collectives_of(command):
    """All that Tutti serves."""
    said = subprocess.run([command, "info", "--json"], check=True, capture_output=True, text=True).stdout
    return {row["collective"] for row in json.loads(said)["algorithms"]}


def run(options, settings, table, more=()):
    """Returns the benchmark's output and the rows of its table, the last one of each collective."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TUTTI")}
    clean |= {"OMPI_MCA_mpi_yield_when_idle": "1", **settings}
    if options.nap:
        clean["LD_PRELOAD"] = options.nap
    words = [options.tutti, "bench", "--sizes", "64K", "--repetitions", "2", "--csv", table, *more, "--",
             *LAUNCHERS[options.mpi], "-n", str(RANKS)]
    ended = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                           errors="replace", timeout=TIMEOUT_S, check=False, env=clean)
    if ended.returncode != 0:
        sys.exit(f"status {ended.returncode}\n{ended.stdout}\n{ended.stderr}")
    with table.open() as file:
        return ended, {row["collective"]: row for row in csv.DictReader(file)}


def printed_row(text, collective):
    """The line of figures below the heading of that collective."""
    return text.split(f"\n# {collective}\n")[1].splitlines()[1]


def faults_of(options, ended, rows, choices):
    faults = []
    if set(rows) != options.collectives or any(row["right"] != "1" for row in rows.values()):
        faults.append(f"not the right rows: {rows}")
    for collective, row in rows.items():
        for side in ("native", "tutti"):
            # Sum over all ranks: at most the CPU time that all of them have within the time of the slowest
            # repetition.
            cpu, most = float(row[f"{side}_cpu_us"]), RANKS * float(row[f"{side}_max_us"])
            if not 0 < cpu <= 1.1 * most + 50:
                faults.append(f"{collective}: {side}: {cpu} us of CPU time, at most {most}")
    for collective, choice in choices.items():
        line = printed_row(ended.stdout, collective)
        if rows[collective]["choice"] != choice or not line.endswith(f"  {choice or 'not known'}"):
            faults.append(f"{collective}: not served by {choice}: {rows[collective]}")
        if ("same code" in line) != (choice == "native"):
            faults.append(f"{collective}, served by {choice}: {line}")
    return [*faults, ended.stdout] if faults else []


def faults_of_late(options, folder):
    """Ranks that come late, by a file that rank 0 alone can read: the last one of each call 20 ms after the others."""
    arrivals, table = folder / "late.txt", folder / "late.csv"
    arrivals.write_text("# us\n" + "0 0 0 20000\n0 20000 0 0 # by rank\n")
    ended, _ = run(options, SETTINGS, table, ["--arrivals", arrivals, "--calls", "2", "--warm-up", "1", "--seed", "3"])
    with table.open() as file:
        rows = list(csv.DictReader(file))
    faults = []
    if {(row["collective"], row["side"]) for row in rows} != {(name, side) for name in options.collectives for side in ("native", "tutti")}:
        faults.append(f"not the right rows: {rows}")
    for row in rows:
        slowest, mean, floor, mean_floor = (float(row[name]) for name in ("slowest_us", "mean_us", "floor_slowest_us", "floor_mean_us"))
        # Holds on any machine: no rank leaves before the ranks that it waits for arrive, and at least one waits for a
        # late rank.
        waits = row["collective"] not in ("bcast", "scatter", "scatterv", "reduce", "gather", "gatherv", "scan", "exscan")
        if row["right"] != "1" or not mean <= slowest or not mean_floor <= floor or mean < 0.99 * mean_floor:
            faults.append(f"figures that cannot be: {row}")
        if waits and mean_floor <= 0:
            faults.append(f"nobody has been late: {row}")
    choices = {row["collective"]: row["choice"] for row in rows if row["side"] == "tutti"}
    if any(choices[name] != choice for name, choice in CHOICES.items()):
        faults.append(f"served by others: {choices}")
    return [*faults, ended.stdout] if faults else []


def faults_of_mistakes(options):
    """One line, and status 2, on all ranks."""
    faults = []
    for words, part in ((["--arrivals", "unifrom:5ms"], "did you mean uniform?"), (["--arrivals", "straggler:rank=4,5ms"], "only 4 ranks"),
                        (["--seed", "3"], "--seed"), (["--arrivals", "uniform:5ms", "--delay", "nap"], "--delay")):
        line = [options.tutti, "bench", "bcast", *words, "--", *LAUNCHERS[options.mpi], "-n", str(RANKS)]
        ended = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S,
                               check=False)
        said = [text for text in ended.stderr.splitlines() if text.startswith("tutti bench: ")]
        if ended.returncode == 0 or len(said) != 1 or part not in said[0]:
            faults.append(f"{words}: status {ended.returncode}, {ended.stderr}")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tutti", required=True)
    parser.add_argument("--mpi", required=True, choices=LAUNCHERS)
    parser.add_argument("--nap", help="a library that makes waiting ranks sleep")
    options = parser.parse_args()
    options.collectives = collectives_of(options.tutti)
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.csv"
        ended, rows = run(options, SETTINGS, table)
        faults += faults_of(options, ended, rows, CHOICES)
        if "# same code: both sides are the MPI's own code" not in ended.stdout or "by chance" in ended.stdout:
            faults.append(f"what \"same code\" means is not said:\n{ended.stdout}")
        if "tutti: " in ended.stderr:
            faults.append(f"a report that was not asked for:\n{ended.stderr}")
        # A report that the user wants is written as ever.
        ended, rows = run(options, {**SETTINGS, "TUTTI_REPORT": "summary"}, table)
        faults += faults_of(options, ended, rows, CHOICES)
        if "tutti: Tutti served " not in ended.stderr:
            faults.append("the summary is missing")
        # Without Tutti no report is available; a ratio is printed.
        faults += faults_of(options, *run(options, {**SETTINGS, "TUTTI": "0"}, table), dict.fromkeys(CHOICES, ""))
        faults += faults_of_late(options, Path(folder))
    faults += faults_of_mistakes(options)
    print("\n".join(faults) or "all as expected")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
