#!/usr/bin/env python3
"""Ranks as threads from outside (`tutti run --actors`): what each has for itself, how they end, what is refused.

    actors.py BUILD --mpi mpich|openmpi [--starts N]
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

LAUNCHERS = {"mpich": ["mpiexec.mpich"],
             "openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
                         "--mca", "mpi_yield_when_idle", "1"]}
PATIENCE_S = 120


class Job:
    def __init__(self, options):
        self.options = options

    def run(self, ranks, words, per_process=15, actors=True, text=None, env=None, bind=(), options=()):
        """The completed launch of `words`, a program of the tests with its arguments. `bind`: options of the launcher;
        `options`: of `tutti run`."""
        program = [f"{self.options.build}/bin/{words[0]}-{self.options.mpi}", *words[1:]]
        tutti = [f"{self.options.build}/bin/tutti", "run", "--actors", "--set", f"ACTORS_PER_PROCESS={per_process}", *map(str, options), "--"]
        line = [*(tutti if actors else []), *LAUNCHERS[self.options.mpi], *bind, "-n", str(ranks), *program]
        with tempfile.TemporaryDirectory(prefix="tutti-", ignore_cleanup_errors=True) as folder:
            return subprocess.run(line, input=text or "", capture_output=True, text=True, errors="replace",
                                  timeout=PATIENCE_S, check=False, env=os.environ | {"TMPDIR": folder} | (env or {}))


def fails(said, why):
    print(f"FAILED: {why}: status {said.returncode}\n{said.stdout}{said.stderr}")
    return 1


def own_things(job):
    failed = 0
    for ranks, per_process in ((4, 15), (5, 2), (8, 4), (15, 15), (30, 15)):
        said = job.run(ranks, ["places", "things"], per_process)
        if said.returncode != 0 or said.stdout != f"{ranks} of {ranks} ranks have their own things\n":
            failed += fails(said, f"{ranks} ranks, {per_process} in a process")
    return failed


def lines(job):
    said = job.run(6, ["places", "lines"], 4)
    out, err = (sorted(re.findall(rf"^{name} \d$", text, re.M)) for name, text in (("out", said.stdout), ("err", said.stderr)))
    if said.returncode != 0 or out != [f"out {r}" for r in range(6)] or err != [f"err {r}" for r in range(6)]:
        return fails(said, "each rank writes a line to each stream")
    said = job.run(4, ["places", "input"], text="a line\n")
    return 0 if said.returncode == 0 and said.stdout == "got a line\n" else fails(said, "the first rank reads")


def crashes(job):
    """The job ends, and says which rank it was, and which signal."""
    failed = 0
    for words, sign in ((["crash"], 11), (["crash", "6"], 6), (["crash", "8"], 8), (["overflow"], 11), (["handled_crash"], 11)):
        for ranks in (3, 1):
            said = job.run(ranks, ["places", *words])
            if said.returncode == 0 or f"tutti: rank {ranks - 1} was ended by signal {sign}\n" not in said.stderr:
                failed += fails(said, f"{words}, {ranks} ranks")
            if words == ["handled_crash"] and "a handler of the program\n" not in said.stderr:
                failed += fails(said, "the program's own handler runs")
    said = job.run(3, ["places", "handlers"])
    if said.returncode != 0 or said.stdout != "3 of 3 ranks have their own handlers\n":
        failed += fails(said, "each rank has its own handlers")
    return failed


def wrong_arguments(job):
    """A call that one rank alone makes wrongly does not disturb later ones."""
    said = job.run(3, ["one_rank_errs"], 2)
    return fails(said, "collectives after a wrong one") if said.returncode != 0 else 0


def beginnings(job):
    """Constructors run before a rank has begun; what ends it there ends the job."""
    failed = 0
    for per_process in (15, 2):
        said = job.run(3, ["places", "things"], per_process, env={"PLACES_BEGIN": "exit"})
        if said.returncode != 3:
            failed += fails(said, "a constructor calls exit()")
        said = job.run(3, ["places", "things"], per_process, env={"PLACES_BEGIN": "crash"})
        if said.returncode == 0 or "ended by signal 11\n" not in said.stderr:
            failed += fails(said, "a constructor crashes")
    return failed


def processors(job):
    """Threads are where the launcher has bound their ranks."""
    if len(os.sched_getaffinity(0)) < 2:
        return 0
    bind = {"mpich": ["-bind-to", "core"], "openmpi": ["--bind-to", "core"]}[job.options.mpi]
    # A launcher may join lines of several ranks.
    said, native = (sorted(re.findall(r"rank \d+ may use(?: \d+)*", job.run(2, ["places", "processors"], actors=actors, bind=bind).stdout))
                    for actors in (True, False))
    if said != native or len(native) != 2:
        print(f"FAILED: ranks are bound: {native}, as threads {said}")
    return said != native


def other_programs(job):
    """A rank becomes another program when MPI is over, and not before."""
    failed = 0
    said, native = (job.run(3, ["places", "exec"], actors=actors) for actors in (True, False))
    if said.returncode != native.returncode:
        failed += fails(said, f"exec: natively {native.returncode}")
    said = job.run(3, ["places", "early_exec"])
    if said.returncode == 0 or said.stderr.count("tutti: a rank replaces itself by true (exec)") != 1:
        failed += fails(said, "exec during MPI has to be refused")
    return failed


def statuses(job):
    """As natively: a rank's exit status reaches the launcher."""
    failed = 0
    for words in (["status"], ["leave"]):
        native = job.run(4, ["places", *words], actors=False)
        for per_process in (15, 2):
            said = job.run(4, ["places", *words], per_process)
            if (said.returncode == 0) != (native.returncode == 0) or (words == ["status"] and said.returncode != native.returncode):
                failed += fails(said, f"{words}: natively {native.returncode}")
    return failed


def script_in_front(job):
    """The file of a script that starts a program of the tests."""
    path = job.options.build / "tests/preload" / f"script-{job.options.mpi}.sh"
    path.write_text(f"#!/bin/sh\nexec {job.options.build}/bin/places-{job.options.mpi} things\n")
    path.chmod(0o755)
    return str(path)


def refusals(job):
    """Programs before anything has begun, in one line; calls where they are made, with a line before."""
    failed = 0
    for program, reason in (("one_sided", "MPI_Win_"), ("intercommunicator", "MPI_Intercomm_create")):
        said = job.run(4, [program], 2)
        if said.returncode == 0 or not 1 <= said.stderr.count(f"tutti: ranks as threads do not have {reason}") <= 2:
            failed += fails(said, f"{program} has to be refused")
    said = job.run(4, ["names_files"], 2)
    if said.returncode != 0 or said.stderr.count("which ranks as threads do not have") != 1 or "MPI_File_open" not in said.stderr:
        failed += fails(said, "a program that names calls and makes none has to run, with one line about them")
    for words, reason in ((["/usr/bin/python3", "-c", "pass"], "cannot run as a thread"),
                          ([f"{job.options.build}/bin/api-{job.options.mpi}"], "is linked with libtutti-"), (["/bin/nowhere"], "no such"),
                          ([script_in_front(job)], "is a script")):
        said = subprocess.run([f"{job.options.build}/bin/tutti", "run", "--actors", "--mpi", job.options.mpi, "--",
                               *LAUNCHERS[job.options.mpi], "-n", "2", *words],
                              capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        if said.returncode == 0 or reason not in said.stderr or said.stdout:
            failed += fails(said, f"{words} has to be refused")
    return failed + other_settings(job) + no_files_of_their_own(job)


def no_files_of_their_own(job):
    """If unshare(2) is refused, ranks would share standard streams and directories."""
    said = subprocess.run([f"{job.options.build}/bin/tutti_test_no_unshare", f"{job.options.build}/bin/tutti", "run", "--actors", "--",
                           *LAUNCHERS[job.options.mpi], "-n", "2", f"{job.options.build}/bin/places-{job.options.mpi}", "things"],
                          capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    if said.returncode != 0 and not said.stdout and said.stderr.count("unshare(2)") == 1:
        return 0
    return fails(said, "without unshare(2) ranks have to be refused")


def other_settings(job):
    """Ranks that would decide differently say so, in one line."""
    program = [f"{job.options.build}/libexec/tutti/tutti-actors-{job.options.mpi}",
               f"{job.options.build}/bin/places-{job.options.mpi}", "things"]
    failed = 0
    # "on" is the default value of TUTTI_TUNE, and selects between threads only where it is given.
    for other in ("TUTTI_ACTORS_PER_PROCESS=1", "TUTTI_TUNE=on", "TUTTI_RULES=/dev/null"):
        said = subprocess.run([*LAUNCHERS[job.options.mpi], "-n", "2", "env", other, *program, ":", "-n", "2", *program],
                              capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        if said.returncode == 0 or said.stdout or said.stderr.count("have different TUTTI_* settings") != 1:
            failed += fails(said, f"{other} of some ranks has to be refused")
    return failed


def left_behind():
    """Names in places that outlive a process: of shared memory, and of sockets."""
    shared = {path.name for path in pathlib.Path("/dev/shm").iterdir() if "tutti" in path.name}
    return shared | set(re.findall(r"@tutti-actors\S*", pathlib.Path("/proc/net/unix").read_text()))


def starts(job):
    """Nothing stays, however often programs start."""
    before = left_behind()
    for n in range(job.options.starts):
        said = job.run(4, ["places", "things"])
        if said.returncode != 0:
            return fails(said, f"start {n}")
    left = left_behind() - before
    until = time.monotonic() + PATIENCE_S
    while left and time.monotonic() < until:  # other jobs' come and go
        time.sleep(0.2)
        left &= left_behind()
    if left:
        print(f"FAILED: left behind: {left}")
    return len(left)


def reports(job):
    """A file counts the first rank's collectives by what served them, and names their leaders."""
    failed = 0
    for leader in ("first", "fixed"):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.json"
            said = job.run(4, ["asp", "--vertices", "64"], per_process=2, env={
                "TUTTI_REPORT": str(report), "TUTTI_ACTORS_LEADER": leader, "TUTTI_BCAST": "hierarchical:inter=knomial"})
            lines = json.loads(report.read_text())["calls"] if report.exists() else []
        broadcasts = {line["choice"]: line["calls"] for line in lines if line["collective"] == "bcast"}
        if said.returncode != 0 or sum(broadcasts.values()) < 64 or not all(choice.endswith("@first") == (leader == "first") for choice in broadcasts):
            failed += fails(said, f"a report of broadcasts led by {leader}: {broadcasts}")
    return failed


def choices(job):
    """Rules of the user, run-time selection and learned rules work, by `tutti run`; there is a summary."""
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        rules, learned, report = (pathlib.Path(folder) / name for name in ("rules.json", "learned.json", "report.json"))
        rules.write_text(json.dumps({"schema": 1, "rules": [
            {"collective": "bcast", "use": "native"},  # no native MPI serves ranks as threads
            {"collective": "bcast", "mpi": "threads", "use": "chain:segment=8K", "because": "to see it"}]}))
        said = job.run(4, ["asp", "--vertices", "64"], options=["--rules", rules, "--report", report])
        lines = json.loads(report.read_text())["calls"] if report.exists() else []
        served = {(line["choice"], line["reason"].split(" (")[0]) for line in lines if line["collective"] == "bcast"}
        if said.returncode != 0 or served != {("chain:segment=8K", "to see it")} or not all(line["time_ns"] for line in lines):
            failed += fails(said, f"a rule of the user: {served}")
        said = job.run(4, ["asp", "--vertices", "1500"], options=["--tune", "on", "--set", "TUNE_BUDGET=100%", "--learn", learned, "--report", report])
        # What has served calls: a change of speed makes a call site forget its trials.
        lines = json.loads(report.read_text())["calls"] if report.exists() else []
        tried = {line["choice"] for line in lines if line["collective"] == "bcast"}
        if said.returncode != 0 or len(tried) < 2 or "native" in tried or "TUTTI_LEARN" not in said.stderr:
            failed += fails(said, f"run-time selection tries candidates: {tried}")
        if learned.exists() and any(rule.get("mpi") != "threads" for rule in json.loads(learned.read_text())["rules"]):
            failed += fails(said, "what threads learn is for threads")
        said = job.run(3, ["asp", "--vertices", "64"], options=["--report", "summary"])
        if said.returncode != 0 or "tutti: Tutti served " not in said.stderr:
            failed += fails(said, "a summary")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--mpi", choices=LAUNCHERS, required=True)
    parser.add_argument("--starts", type=int, default=5)
    options = parser.parse_args()
    job = Job(options)
    failed = sum(check(job) for check in (own_things, lines, crashes, wrong_arguments, beginnings, processors, other_programs, statuses, refusals, reports, choices, starts))
    print("all is well" if failed == 0 else f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
