#!/usr/bin/env python3
"""What a record says of runs that did not end in MPI_Finalize: how they ended, and where each rank was. And a folder that has
a record keeps it.

    run_ends.py BUILD --mpi mpich|openmpi [--case NAME]
"""

import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

RANKS = 4
LAUNCHERS = {"mpich": ["mpirun.mpich"],
             "openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]}
TIMEOUT_S = 120
SITTING = r"ranks 0, 1, 3 s[ai]t in allreduce in .*, rank 2 in no MPI call that is recorded"
# The value of run.ended, and the effect of the first sentence.
WORDS = {"finalize": ("^finalized$", ""),
         "abort": ("^MPI_Abort on rank 2$", "rank 2 in no MPI call that is recorded"),
         "exit": ("^exit without MPI_Finalize on rank", ""),
         "kill": ("rank 2 killed, or crashed.*; the launcher ended with status .*signal 9", SITTING),
         "crash": ("rank 2 killed, or crashed.*; the launcher ended with status .*signal 11", SITTING)}


# Other ways to hang: what the first sentence says, the second, and the ranks that wait.
HANGS = {"receive": (r"rank 0 s[ai]ts? in MPI_Recv from rank 1", "wait for each other in a circle", [0, 1, 2, 3]),
         "wait": (r"ranks 0, 1, 3 s[ai]t in MPI_Wait for ibarrier in .*, rank 2 in no MPI call", "what keeps rank 2 from", [0, 1, 3]),
         "tests": (r"ranks 0, 1, 3 s[ai]t in tests with MPI_Test", "", []),
         "mismatch": (r"called bcast in .*called barrier in .*: the program's calls do not match", "leads these ranks to different calls",
                      [])}


def line(options, folder, end):
    return [f"{options.build}/bin/tutti", "run", "--report", "none", "--record", folder, "--set", "NODES=0,0,1,1", "--",
            *LAUNCHERS[options.mpi], "-n", str(RANKS), f"{options.build}/bin/run_ends-{options.mpi}", end]


def report(options, folder):
    done = subprocess.run([f"{options.build}/bin/tutti", "report", folder, "--json", "-"], capture_output=True, text=True,
                          timeout=TIMEOUT_S, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def first_line(options, folder):
    return subprocess.run([f"{options.build}/bin/tutti", "report", folder], capture_output=True, text=True, timeout=TIMEOUT_S,
                          check=True).stdout.splitlines()[0]


def faults_of(found, ended, where):
    """`found`: a report of four ranks after 20 calls."""
    if not re.search(ended, found["run"]["ended"]):
        yield f"ended: {found['run']['ended']}"
    if not re.search(where, found["what_to_do"][0]):
        yield f"first sentence: {found['what_to_do'][0]}"
    if (found["verdicts"][0]["kind"] == "unfinished") == (ended == "^finalized$") or "Nothing is wrong" in str(found["verdicts"][1:]):
        yield f"verdicts: {found['verdicts']}"
    if found["run"]["calls"] < 20 or any(rank["is_missing"] for rank in found["ranks"]):
        yield f"lost: {found['run']} {found['missing']}"


def ends(options, folder, end):
    done = subprocess.run(line(options, folder, end), capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S,
                          check=False, stdin=subprocess.DEVNULL)
    if (done.returncode == 0) != (end == "finalize"):
        yield f"status {done.returncode}: {done.stderr}"
    found = report(options, folder)
    if found is None:
        yield f"no record: {os.listdir(folder)} {done.stderr}"
        return
    yield from faults_of(found, *WORDS[end])
    if found["run"]["ended"] not in first_line(options, folder):
        yield f"first line: {first_line(options, folder)}"


def late(options, folder):
    """Files of early ranks are written before the late one enters MPI_Finalize."""
    done = subprocess.run(line(options, folder, "late"), capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S,
                          check=False, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        yield f"status {done.returncode}: {done.stderr}"
    found = report(options, folder)
    if not found or not re.search(r"^Once rank 2 on .* was late, by (2\.\d+|1\.9\d) s, before MPI_Finalize", found["what_to_do"][0]):
        yield f"first sentence: {found and found['what_to_do']}"
    if found and min(found["ranks"][rank]["waiting_ns"] for rank in (0, 1, 3)) < 1_900_000_000:
        yield f"waiting: {found['ranks']}"


def until_it_hangs(options, folder, job, sitting=SITTING):
    """The report of the run while it hangs."""
    for _ in range(TIMEOUT_S * 4):
        if job.poll() is not None:
            break
        found = report(options, folder) if os.path.isdir(folder) else None
        if found and found["run"]["ended"].startswith("hung: ") and re.search(sitting, found["what_to_do"][0]):
            return found
        time.sleep(0.25)
    job.terminate()
    sys.exit(f"the report does not say that the job hangs: {job.poll()} {found and found['what_to_do']}")


def hang(options, folder):
    """While it hangs, and after it has been ended."""
    with subprocess.Popen(line(options, folder, "hang"), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as job:
        found = until_it_hangs(options, folder, job)
        yield from faults_of(found, "^hung: no call began or ended in the last .*ranks 0-3 still running$", SITTING)
        job.send_signal(signal.SIGTERM)
        job.wait(TIMEOUT_S)
    found = report(options, folder)
    yield from faults_of(found, "^hung: no call began or ended in the last .*ended from outside: the launcher got signal 15", SITTING)
    if found["what_to_do"][1] is None or "what keeps rank 2 from allreduce" not in found["what_to_do"][1]:
        yield f"advice: {found['what_to_do']}"
    waiting = [rank["waiting_ns"] for rank in found["ranks"]]
    if min(waiting[0], waiting[1], waiting[3]) < found["run"]["elapsed_ns"] / 4 or found["sites"][0]["waiting_ns"] < sum(waiting) / 2:
        yield f"open calls are not waiting: {waiting} of {found['run']['elapsed_ns']}"


def hang_otherwise(options, folder, how):
    """Checks the report after a hanging run has been ended: it must be the same as while the run hangs."""
    first, second, waiting = HANGS[how]
    with subprocess.Popen(line(options, folder, how), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as job:
        until_it_hangs(options, folder, job, first)
        time.sleep(2)
        job.send_signal(signal.SIGTERM)
        job.wait(TIMEOUT_S)
    found = report(options, folder)
    if not found["run"]["ended"].startswith("hung: ") or not re.search(first, found["what_to_do"][0]):
        yield f"first sentence: {found['what_to_do'][0]}"
    if len(found["what_to_do"]) < 2 or second not in found["what_to_do"][1] or "TUTTI=0" in str(found["what_to_do"]):
        yield f"advice: {found['what_to_do']}"
    if any(found["ranks"][rank]["waiting_ns"] < found["run"]["elapsed_ns"] / 4 for rank in waiting):
        yield f"open calls are not waiting: {found['ranks']} of {found['run']['elapsed_ns']}"
    if left := [name for name in os.listdir(folder) if name.endswith(".tmp")]:
        yield f"left behind: {left}"


def second_run(options, folder):
    """It says in one line why it does not begin; so does a library that is preloaded by hand."""
    yield from ends(options, folder, "finalize")
    before = sorted((entry.name, entry.stat().st_mtime_ns) for entry in os.scandir(folder))
    done = subprocess.run(line(options, folder, "finalize"), capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
                          stdin=subprocess.DEVNULL)
    if done.returncode == 0 or done.stderr.count("\n") != 1 or "has the record of another run" not in done.stderr:
        yield f"into the same folder: {done.returncode} {done.stderr}"
    library = next(options.build.glob(f"lib*/**/libtutti-{options.mpi}.so"))
    words = [*LAUNCHERS[options.mpi], "-n", str(RANKS), "env", f"LD_PRELOAD={library}", f"TUTTI_RECORD={folder}", "TUTTI_REPORT=none",
             f"{options.build}/bin/run_ends-{options.mpi}"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT_S, check=False, stdin=subprocess.DEVNULL)
    said = [text for text in done.stderr.splitlines() if text.startswith("tutti: ")]
    if done.returncode != 0 or len(said) != 1 or "has the record of another run" not in said[0]:
        yield f"preloaded by hand: {done.returncode} {done.stderr}"
    if sorted((entry.name, entry.stat().st_mtime_ns) for entry in os.scandir(folder)) != before:
        yield "the first record has changed"


CASES = {**{end: lambda options, folder, end=end: ends(options, folder, end) for end in WORDS}, "hang": hang,
         **{how: lambda options, folder, how=how: hang_otherwise(options, folder, how) for how in HANGS}, "late": late,
         "second_run": second_run}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--mpi", choices=LAUNCHERS, required=True)
    parser.add_argument("--case", choices=CASES, action="append")
    options = parser.parse_args()
    options.build = options.build.resolve()
    faults = 0
    for name in options.case or CASES:
        with tempfile.TemporaryDirectory() as folder:
            found = list(CASES[name](options, os.path.join(folder, "record")))
        print("\n".join([f"{name}: {fault}" for fault in found] or [f"ok: {name}"]), flush=True)
        faults += len(found)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
