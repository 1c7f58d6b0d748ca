#!/usr/bin/env python3
"""Random checks of calls that return early: early_checks and early_hazards with ever new seeds, on both MPIs, under every
guard, as root and without rights, with ranks dealt out to nodes in several ways. Every call that may returns early, but
where call sites try all ways of serving it in turn.

    early_stress.py --tutti build/release/bin/tutti --programs build/release/bin --minutes 60

Prints each failure with the line that repeats it, and at the end how many checks were made. Exit status 1: a failure.
"""

import argparse
import contextlib
import itertools
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

GUARDS = ["userfaultfd", "key", "userfaultfd:user", "mprotect"]
SHAPES = {2: "0,1", 3: "0,1,1", 4: "0,1,0,1", 5: "0,0,1,1,2", 8: "0,0,0,1,1,1,2,2"}
LAUNCHERS = {"mpich": ["mpirun.mpich"], "openmpi": ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none"]}
TIMEOUT_S = 1200
NICE = 10
COUNT = re.compile(r"^early_\w+: (\d+) checks, 0 failed$", re.MULTILINE)
GIVEN_UP = re.compile(r"calls of rank 0 wait for their data: (.*)")


def without_rights(tutti):
    """Words in front of a command that take root's rights away; None where that cannot be done, is so already, or where
    the build is in a folder of root's own."""
    words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        return None
    may_run = subprocess.run([*words, "test", "-x", str(tutti)], stderr=subprocess.DEVNULL, check=False).returncode == 0
    return words if may_run else None


def give_way():
    """This process's session comes after others: Linux weighs sessions first where it groups processes by them."""
    os.nice(NICE)
    with contextlib.suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(NICE), encoding="ascii")


class Stress:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.checks, self.failures, self.missing = Counter(), 0, {}

    def combinations(self):
        users = [[], without_rights(self.options.tutti)]
        for mpi, guard, ranks, user in itertools.product(self.options.mpi, self.options.guard, SHAPES, users):
            if user is not None and (self.options.programs / f"early_checks-{mpi}").exists():
                yield mpi, guard, ranks, user

    def line(self, mpi, guard, ranks, user, program, arguments, tuning):
        as_root = ["--allow-run-as-root"] if mpi == "openmpi" and os.geteuid() == 0 else []
        settings = [f"NODES={SHAPES[ranks]}", "OVERLAP=on", "OVERLAP_BYTES=1", f"OVERLAP_GUARD={guard}",
                    "PLAN_CACHE=64K", tuning]
        return [*user, str(self.options.tutti), "run", "--report", "none", *(f"--set={text}" for text in settings), "--",
                *LAUNCHERS[mpi], *as_root, "-n", str(ranks), str(self.options.programs / f"{program}-{mpi}"), *arguments]

    def run(self, mpi, guard, ranks, user, program, arguments, tuning):
        """One job; its failure is described."""
        line = self.line(mpi, guard, ranks, user, program, arguments, tuning)
        place = tempfile.mkdtemp(dir=self.folder)
        os.chmod(place, 0o777)
        env = {**os.environ, "TMPDIR": place, "HOME": place, "OMPI_MCA_mpi_yield_when_idle": "1",
               "UCX_MEM_MMAP_HOOK_MODE": "none"}
        if self.options.nap is not None:
            env["LD_PRELOAD"] = str(self.options.nap)
        with subprocess.Popen(line, cwd=place, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, start_new_session=True,
                              preexec_fn=give_way if self.options.gives_way else None) as job:
            try:
                output, _ = job.communicate(timeout=TIMEOUT_S)
            except subprocess.TimeoutExpired:
                os.killpg(job.pid, signal.SIGKILL)
                output, _ = job.communicate()
                output += f"\nnot through after {TIMEOUT_S} s"
        shutil.rmtree(place, ignore_errors=True)
        given_up, count = GIVEN_UP.search(output), COUNT.search(output)
        who = guard + (" without rights" if user else "")
        if given_up:
            self.missing[who] = given_up[1]
        if job.returncode != 0 or count is None:
            self.failures += 1
            print(f"failed (status {job.returncode}): {' '.join(line)}\n{output[-3000:]}", flush=True)
        elif not given_up:
            self.checks[who] += int(count[1])

    def go_on_for(self, seconds):
        end = time.monotonic() + seconds
        seeds = random.Random(self.options.seed)
        combinations = list(self.combinations())
        seeds.shuffle(combinations)
        if not combinations:
            sys.exit(f"no early_checks-* in {self.options.programs}")
        for turn in itertools.cycle(combinations):
            if time.monotonic() > end and (self.checks or self.failures):  # on a busy machine the first may take long
                break
            if turn[1] + (" without rights" if turn[3] else "") in self.missing:
                continue
            tuning = seeds.choice(["TUNE=off", "TUNE=off", "TUNE_BUDGET=1000"])
            self.run(*turn, "early_checks", [str(seeds.choice(self.options.rounds)), str(seeds.randrange(1, 10**9))], tuning)
            self.run(*turn, "early_hazards", [], tuning)
            if len(self.missing) == 2 * len(self.options.guard):
                break


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tutti", type=Path, required=True)
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--nap", type=Path, metavar="LIB", help="library that lets waiting ranks sleep")
    parser.add_argument("--gives-way", action="store_true", help="to what else runs on the machine")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--rounds", type=int, nargs="+", default=[400], help="of a run of early_checks, drawn from these")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    parser.add_argument("--mpi", nargs="+", default=list(LAUNCHERS), choices=list(LAUNCHERS))
    parser.add_argument("--guard", nargs="+", default=GUARDS, choices=GUARDS)
    options = parser.parse_args()
    options.tutti, options.programs = options.tutti.resolve(), options.programs.resolve()
    if options.nap is not None:
        options.nap = options.nap.resolve()
    with tempfile.TemporaryDirectory(prefix="tutti-early-") as folder:
        os.chmod(folder, 0o755)
        stress = Stress(options, folder)
        stress.go_on_for(60 * options.minutes)
    for who, count in sorted(stress.checks.items()):
        print(f"{who}: {count} checks")
    for who, why in sorted(stress.missing.items()):
        print(f"{who}: not here: {why}")
    print(f"{sum(stress.checks.values())} checks, {stress.failures} failed jobs (seed {options.seed})")
    return 1 if stress.failures or not stress.checks else 0


if __name__ == "__main__":
    sys.exit(main())
