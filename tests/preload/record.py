#!/usr/bin/env python3
"""A recorded run: what `tutti report` says of late ranks, also where messages or nonblocking calls pass their lateness
on, of imbalance that moves, of a bad choice, of nothing; and that a replay can take the lateness out.

    record.py BUILD --mpi mpich|openmpi [--actors] [--case NAME] [--repeat N]

With --actors the ranks are threads of two processes; cases with calls that they do not have are left out.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from functools import partial

NODES = "0,0,1,1,2,2,3,3"
LAUNCHERS = {"mpich": ["mpirun.mpich"],
             "openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]}
# The ranks of a test share few cores: those that wait sleep, also in the native MPI (libtutti_test_nap), so that the late
# ones are late by what is planted.
SLEEPS = {"WAIT": "sleep", "PROGRESS": "inline"}


def run(options, folder, job, settings, environment, as_threads=False):
    """Records a job: a launch line."""
    line = [f"{options.build}/bin/tutti", "run", *(["--actors"] if as_threads else []), "--report", "none", "--record", str(folder)]
    for name, value in settings.items():
        line += ["--set", f"{name}={value}"]
    line += ["--", *job]
    done = subprocess.run(line, capture_output=True, text=True, timeout=200, check=False, stdin=subprocess.DEVNULL,
                          env={**os.environ, **environment})
    if done.returncode != 0:
        sys.exit(f"{' '.join(line)}\nended with {done.returncode}: {done.stdout[-500:]}{done.stderr[-1500:]}")


def record(options, folder, program, settings=()):
    """Records 8 ranks on what is taken for four nodes, or in two processes."""
    if options.actors:
        run(options, folder, [*LAUNCHERS[options.mpi], "-n", "8", f"{options.build}/bin/{program[0]}-{options.mpi}", *program[1:]],
            {"ACTORS_PER_PROCESS": "4"}, {}, as_threads=True)
        return
    run(options, folder,
        [*LAUNCHERS[options.mpi], "-n", "8", f"{options.build}/bin/{program[0]}-{options.mpi}", *program[1:]],
        {"NODES": NODES, **SLEEPS, **dict(settings)}, {"LD_PRELOAD": f"{options.build}/lib/libtutti_test_nap.so"})


def json_of(options, *words):
    line = [f"{options.build}/bin/tutti", *words, "--json", "-"]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(line)}: {done.stderr}")
    return json.loads(done.stdout)


def report(options, folder, *more):
    return json_of(options, "report", str(folder), *more)


def vcc(imbalance):
    return ["vcc", "--vertices", "128", "--imbalance", imbalance]


def has(report_of, kind, **wanted):
    verdict = report_of["verdicts"][0]
    return verdict["kind"] == kind and all(verdict.get(name) == value for name, value in wanted.items())


def compute(milliseconds, size, *more):
    return ["alltoall_compute", "--sleep", "--unrelated-ms", str(milliseconds), "--bytes", str(size), "--warm-up", "1", *more]


def late_ranks(folder):
    """A file of arrivals in which both ranks of node 2 come 20 ms late."""
    file_name = folder / "arrivals.txt"
    file_name.write_text(" ".join("20000" if node == "2" else "0" for node in NODES.split(",")) + "\n")
    return str(file_name)


def slow_rank(options, folder):
    record(options, folder, vcc("straggler:rank=5,20ms"))
    again = json_of(options, "simulate", "--replay", str(folder), "--without-lateness")
    is_gone = again["changed"]["inside_ns"] < again["simulated"]["inside_ns"] / 2 and again["calls"] > 0
    return has(found := report(options, folder), "slow_rank", rank=5) and is_gone, found


def names(report_of, ranks):
    """Whether exactly these ranks are blamed; an empty list: none."""
    return sorted(report_of["verdicts"][0].get("ranks", [])) == ranks


def slow_ranks(options, folder):
    """Slow ranks of a node that is not a separate machine: preload.slow_node has a separate one."""
    record(options, folder, vcc(late_ranks(folder)))
    return has(found := report(options, folder), "slow_rank") and names(found, [4, 5]), found


# The kinds of c/planted.c, and the ranks to blame.
PLANTED = {"halo": [3], "exchange": [1], "persistent": [3], "chain": [0], "turns": [], "nonblocking": [2], "slow": [2],
           "two": [1, 4], "grows": [1], "moving": [], "equal": [], "fence": [2], "duplicates": [3], "splits": [1], "neighbours": [2], "file": [1],
           "matched": [2], "tests": [3]}


def planted(kind, options, folder):
    record(options, folder, ["planted", kind])
    found = report(options, folder)
    return names(found, PLANTED[kind]) and (kind != "grows" or "It grows" in found["verdicts"][0]["text"]), found


def moving_imbalance(options, folder):
    record(options, folder, vcc("one-late:20ms"))
    return has(found := report(options, folder), "moving_imbalance"), found


def bad_algorithm(options, folder):
    program = compute(5, 1 << 20, "--bcast", "--iterations", "12")
    record(options, folder / "native", program, [("BCAST", "native")])
    record(options, folder / "bad", program, [("BCAST", "chain:segment=1K")])
    found = report(options, folder / "bad", "--against", str(folder / "native"))
    return has(found, "wrong_algorithm") and "chain" in found["verdicts"][0]["text"], found


def balanced(options, folder):
    record(options, folder, compute(40, 512, "--iterations", "40"), [("TUNE", "off")])
    return has(found := report(options, folder), "nothing_wrong"), found


# Cases of ranks as threads, which have neither one-sided communication nor files, and no native MPI to compare with.
OF_THREADS = ["slow_rank", "moving_imbalance", *(f"planted_{kind}" for kind in PLANTED if kind not in ("fence", "file"))]
CASES = {case.__name__: case for case in (slow_rank, slow_ranks, moving_imbalance, bad_algorithm, balanced)}
CASES |= {f"planted_{kind}": partial(planted, kind) for kind in PLANTED}


def add_repetitions(parser):
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--attempts", type=int, default=1,
                        help="of which one has to be right: beside other work, ranks are late by themselves at times")


def count_wrong(options, cases):
    """`cases`: functions by name; each takes an empty folder, and says whether the report is right, and the report."""
    os.environ["TUTTI_VERBOSE"] = "0"
    wrong = 0
    for name in [*cases] * options.repeat:
        is_right = False
        for _ in range(options.attempts):
            with tempfile.TemporaryDirectory() as folder:
                is_right, found = cases[name](pathlib.Path(folder))
            print(f"{'ok' if is_right else 'WRONG'}: {name}: {found['verdicts'][0]['text']}", flush=True)
            if is_right:
                break
        wrong += not is_right
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--mpi", choices=LAUNCHERS, required=True)
    parser.add_argument("--case", choices=CASES, action="append")
    parser.add_argument("--actors", action="store_true")
    add_repetitions(parser)
    options = parser.parse_args()
    options.build = options.build.resolve()
    cases = {name: partial(CASES[name], options) for name in options.case or (OF_THREADS if options.actors else CASES)}
    sys.exit(1 if count_wrong(options, cases) else 0)


if __name__ == "__main__":
    main()
