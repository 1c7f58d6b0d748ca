#!/usr/bin/env python3
"""Runs MPI programs natively and under Tutti, in turn, and compares their results and times. ./demo calls it.

    run.py --build build/release --repeat 5                      on the virtual cluster (below `vcluster with`)
    run.py --build build/release --repeat 5 --one-machine        where there is none
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
RANKS = 8
TIMEOUT_S = 120


@dataclass
class Program:
    """One program with one MPI. `seconds` and `result` are matched in its output."""

    name: str
    mpi: str
    line: list
    seconds: str  # regular expression whose group is the time that the program reports
    result: str  # regular expression; its matches must be the same natively and under Tutti
    ranks: int = RANKS
    settings: list = field(default_factory=list)  # arguments of `tutti run`
    native_s: list = field(default_factory=list)
    tutti_s: list = field(default_factory=list)
    results: set = field(default_factory=set)
    served: int = 0  # collective calls of rank 0 in the last run under Tutti that Tutti served
    calls: int = 0  # all collective calls of that run
    problem: str = ""

    @property
    def report(self):
        return f"report-{self.name}-{self.mpi}.json"


def own_program(build, name, mpi, *options):
    return Program(name, mpi, [str(build / "bin" / f"{name}-{mpi}"), *options, "--no-verify"],
                   seconds=r"total_s=([\d.]+)", result=r"checksum=(\w+)")


def programs(build):
    chosen = []
    for mpi in ("mpich", "openmpi"):
        chosen += [own_program(build, "asp", mpi, "--vertices", "2048"),
                   own_program(build, "vcc", mpi, "--vertices", "8192", "--density", "0.0005"),
                   own_program(build, "fft_transpose", mpi, "--log2-size", "11", "--repeat", "4")]
        # 4 MiB between two nodes, then 40 ms of computation that does not need the data yet. Calls return early
        # (paper 002).
        chosen.append(Program("alltoall_compute", mpi, [str(build / "bin" / f"alltoall_compute-{mpi}"), "--sleep"],
                              seconds=r"total_s=([\d.]+)", result=r"checksum=(\w+) wrong=0", ranks=2,
                              settings=["--set", "OVERLAP=on", "--set", "TUNE=off"]))
    # Debian's package, linked with Open MPI. The lines of thermodynamic output are its result.
    chosen.append(Program("lmp (LAMMPS)", "openmpi", ["lmp", "-in", str(HERE / "melt.lmp"), "-log", "none"],
                          seconds=r"Loop time of ([\d.]+)", result=r"(?m)^ +\d+( +-?[\d.e+-]+){4,5} *$"))
    return chosen


class Machine:
    """How ranks are started: on the virtual cluster, or on this machine presented as several nodes."""

    def __init__(self, build, is_one_machine):
        self.tutti = str(build / "bin" / "tutti")
        self.is_one = is_one_machine
        self.shim = None
        if is_one_machine:
            # The virtual cluster lets every waiting rank sleep; here the same library does it, on both sides.
            self.shim = next(build.glob("lib*/**/vcluster_shim.so"), None)

    def native(self, program):
        shim = [] if self.shim is None else [f"LD_PRELOAD={self.shim}"]
        ranks = ["-n", str(program.ranks)]
        is_spread = program.ranks < RANKS and not self.is_one
        if program.mpi == "mpich":
            return ["mpirun.mpich", *(["-genv", *shim[0].split("=")] if shim else []), *ranks,
                    *(["-ppn", "1"] if is_spread else []), *program.line]
        return ["mpirun.openmpi", *(["-x", *shim] if shim else []), "--oversubscribe", *ranks,
                *(["--map-by", "node"] if is_spread else []), *program.line]

    def under_tutti(self, program, report):
        nodes = ",".join(str(rank * RANKS // program.ranks // 2) for rank in range(program.ranks))
        presented = ["--set", f"NODES={nodes}", "--set", "LINKS=slow"] if self.is_one else []
        return [self.tutti, "run", "--report", report, *presented, *program.settings, "--", *self.native(program)]


def run_once(program, line, seconds):
    """Runs the line; adds its time to `seconds` and its result to the program. Returns False if it failed."""
    try:
        run = subprocess.run(line, capture_output=True, text=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)
    except (subprocess.TimeoutExpired, OSError) as error:
        program.problem = str(error)
        return False
    time = re.search(program.seconds, run.stdout)
    result = "\n".join(match.group().strip() for match in re.finditer(program.result, run.stdout))
    if run.returncode != 0 or time is None or not result:
        last = (run.stderr.strip() or run.stdout.strip() or "no output").splitlines()[-1]
        program.problem = f"status {run.returncode}: {last}"
        return False
    seconds.append(float(time[1]))
    program.results.add(result)
    return True


def measure(program, machine, repeat, folder):
    """Alternates both sides, each first in every other pair, after one uncounted run of each."""
    report = str(folder / program.report)
    sides = [(machine.native(program), program.native_s), (machine.under_tutti(program, report), program.tutti_s)]
    for line, _ in sides:
        if not run_once(program, line, []):
            return
    for turn in range(repeat):
        for line, seconds in sides if turn % 2 == 0 else sides[::-1]:
            if not run_once(program, line, seconds):
                return
    program.served, program.calls = served_calls(json.loads((folder / program.report).read_text()))


def served_calls(report):
    """Calls in a report: those served by an algorithm of Tutti, and all."""
    lines = report["calls"]
    return (sum(line["calls"] for line in lines if line["choice"] != "native"), sum(line["calls"] for line in lines))


def comparison(native_s, tutti_s, served):
    """The ratio of the medians if there is a difference: Tutti has served calls, and one side's slowest run is faster
    than the other's fastest. With two equal sides and five runs each, one table row in 126 passes by chance."""
    if served == 0:
        return "same code"
    if min(native_s) <= max(tutti_s) and min(tutti_s) <= max(native_s):
        return "no difference"
    return f"{statistics.median(tutti_s) / statistics.median(native_s):.2f}"


def times(seconds):
    return f"{statistics.median(seconds):.3f} ({min(seconds):.3f}-{max(seconds):.3f})"


def print_table(chosen, repeat):
    print(f"\nMedian of {repeat} runs (fastest-slowest), by each program's own clock. Both sides wait alike.")
    print("Served: collective calls of rank 0 that Tutti's algorithms carried out; the others are the MPI's own code on")
    print("both sides. Ratio: Tutti / native; no difference: the ranges overlap.\n")
    print(f"{'program':<16} {'MPI':<8} {'native s':<22} {'Tutti s':<22} {'served':<14} {'ratio':<14} same result?")
    for program in chosen:
        head = f"{program.name:<16} {program.mpi:<8} "
        if program.problem:
            print(f"{head}failed: {program.problem}")
            continue
        served = f"{program.served} of {program.calls}"
        ratio = comparison(program.native_s, program.tutti_s, program.served)
        same = "yes" if len(program.results) == 1 else "NO"
        print(f"{head}{times(program.native_s):<22} {times(program.tutti_s):<22} {served:<14} {ratio:<14} {same}")


def print_choices(chosen, machine, folder):
    print("\nWhat Tutti chose in the last run of each program, and why (tutti explain):")
    for program in chosen:
        if program.problem:
            continue
        print(f"\n{program.name}, {program.mpi}", flush=True)
        subprocess.run([machine.tutti, "explain", str(folder / program.report)], check=False)


def print_record(program, machine, folder):
    """Prints the late ranks of one more run, which is recorded."""
    if program.problem:
        return
    print(f"\nWho was late in {program.name}, {program.mpi} (tutti run --record, tutti report)\n", flush=True)
    record = str(folder / "record")
    line = machine.under_tutti(program, "none")
    recorded = [*line[:2], "--record", record, *line[2:]]
    if run_once(program, recorded, []):
        subprocess.run([machine.tutti, "report", record], check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--one-machine", action="store_true")
    options = parser.parse_args()
    build = options.build.resolve()
    machine = Machine(build, options.one_machine)
    os.environ.pop("TUTTI_REPORT", None)
    chosen = programs(build)
    with tempfile.TemporaryDirectory(prefix="tutti-demo-") as name:
        for number, program in enumerate(chosen, 1):
            print(f"[{number}/{len(chosen)}] {program.name}, {program.mpi}", file=sys.stderr, flush=True)
            measure(program, machine, options.repeat, Path(name))
        print_table(chosen, options.repeat)
        print_choices(chosen, machine, Path(name))
        print_record(next(program for program in chosen if program.name == "vcc"), machine, Path(name))
    is_good = all(not program.problem and len(program.results) == 1 for program in chosen)
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
