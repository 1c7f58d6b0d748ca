#!/usr/bin/env python3
"""Jobs in which some ranks have the library and others have not, or have another build of it: one rank says so, every
collective is native, and no message of the library meets the program. Jobs in which all have it are served.

    presence.py --mpi mpich --library build/lib/libtutti-mpich.so --programs build/tests/preload
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from run import execute

LAUNCHERS = {
    "mpich": ["mpirun.mpich"],
    "openmpi": ["mpirun.openmpi", *(["--allow-run-as-root"] if os.geteuid() == 0 else []), "--oversubscribe",
                "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"],
}
RANK = {"mpich": "PMI_RANK", "openmpi": "OMPI_COMM_WORLD_RANK"}  # in the environment
TIMEOUT_S = 180

# A rank has the library (T), has not (-), has another build (B), has it with TUTTI=0 (0).
ABSENT = "(rank {} has not)"
OTHER = "(rank {} has another build of it)"
JOBS = [
    # ranks, arguments of first_calls, what the line says of a rank
    ("-TT", "blocking", ABSENT.format(0)),
    ("T-T", "blocking", ABSENT.format(1)),
    ("TT-", "blocking", ABSENT.format(2)),
    ("T--", "nonblocking", ABSENT.format(1)),
    ("--T", "messages", ABSENT.format(0)),
    ("-TTT", "messages", ABSENT.format(0)),
    ("TTT-T", "nonblocking", ABSENT.format(3)),
    ("T-TTTT-", "messages", ABSENT.format(1)),
    ("-T-TT", "nonblocking", ABSENT.format(0)),
    ("TBT", "blocking", OTHER.format(1)),
    ("BTT", "messages", OTHER.format(1)),
    ("00-", "blocking", None),  # switched off
    ("000", "messages", None),
    ("TTTTT", "messages", None),
]


class Job:
    """How jobs of one MPI are started here."""

    def __init__(self, options, other_build):
        self.options = options
        self.libraries = {"T": options.library, "0": options.library, "B": other_build}

    def environment(self, kind):
        """The exports of a rank of this kind."""
        libraries = [str(path) for path in (self.libraries.get(kind), self.options.nap) if path]
        settings = ["TUTTI_PROGRESS=thread", "TUTTI_VERBOSE=1", *(["TUTTI=0"] if kind == "0" else [])]
        return " ".join([*settings, f"LD_PRELOAD={':'.join(libraries)}"])

    def run(self, kinds, words, launcher_options=()):
        """Starts ranks by a script that checks its rank: some launchers do not handle lines with a colon."""
        cases = " ".join(f"{rank}) export {self.environment(kind)};;" for rank, kind in enumerate(kinds))
        script = f'case ${RANK[self.options.mpi]} in {cases} esac; exec "$@"'
        line = [*LAUNCHERS[self.options.mpi], *launcher_options, "-n", str(len(kinds)), "sh", "-c", script, "sh", *words]
        return execute(line, TIMEOUT_S)


def faults_of(run, expected, is_served):
    """`expected`: a part of the one line about the ranks, None for no such line."""
    lines = [line for line in run.stderr.splitlines() if "all collectives are left to the native MPI" in line]
    faults = [] if run.status == 0 else [run.describe()]
    if run.stdout.count(" 0 failed") != 1:
        faults.append("the program found a fault")
    if len(lines) != (expected is not None) or (lines and f"not every rank has the library {expected}" not in lines[0]):
        faults.append(f"{len(lines)} lines, expected: {expected}")
    if is_served != ("tutti: nonblocking collectives: " in run.stderr):
        faults.append("not served" if is_served else "served")
    return [*faults, run.stdout, run.stderr] if faults else []


def other_build_of(library, folder):
    """The same library with another build id."""
    notes = subprocess.run(["readelf", "-n", str(library)], capture_output=True, text=True, check=True).stdout
    build_id = bytes.fromhex(re.search(r"Build ID: ([0-9a-f]+)", notes).group(1))
    content = library.read_bytes()
    assert content.count(build_id) == 1
    other = folder / library.name
    other.write_bytes(content.replace(build_id, bytes(byte ^ 0x55 for byte in build_id)))
    return other


def cases(job, program, sessions):
    """Yields (name, run, expected line, whether it is served)."""
    for kinds, first, expected in JOBS:
        yield f"{kinds} {first}", job.run(kinds, [program, first]), expected, set(kinds) == {"T"}
    if job.options.mpi == "mpich":
        # The session is what initialises the MPI. MPICH 4.2.1 fails on it natively.
        if job.run("---", [sessions]).status == 0:
            yield "TT-, sessions", job.run("TT-", [sessions]), ABSENT.format(2), False
            yield "TTT, sessions", job.run("TTT", [sessions]), None, True
        # Not Hydra, as far as one can see: nothing can be found out.
        yield "TTT, a foreign launcher", job.run("TTT", ["env", "PMI_JOBID=1", program]), None, True
    else:
        # The keys of the ranks do not come together.
        direct = ["--mca", "pmix_base_collect_data", "0"]
        yield "TTT, direct modex", job.run("TTT", [program], direct), None, True
        yield "TTT, another PMIx", job.run("TTT", ["env", "PMIX_VERSION=3.0.0", program]), None, True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mpi", required=True, choices=LAUNCHERS)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--nap", type=Path, help="library that lets waiting ranks sleep, for all ranks")
    parser.add_argument("--programs", type=Path, required=True)
    options = parser.parse_args()
    options.library = options.library.resolve()
    options.nap = options.nap.resolve() if options.nap else None
    program, sessions = (str(options.programs.resolve() / f"{name}-{options.mpi}") for name in ("first_calls", "sessions"))
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        job = Job(options, other_build_of(options.library, Path(folder)))
        for name, run, expected, is_served in cases(job, program, sessions):
            faults = faults_of(run, expected, is_served)
            failures += bool(faults)
            print("\n".join([f"{'failed' if faults else 'passed'}  {options.mpi} {name}", *faults]), flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
