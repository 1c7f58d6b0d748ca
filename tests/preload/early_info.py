#!/usr/bin/env python3
"""Which calls may return early by the info of their communicators and by TUTTI_OVERLAP_COLLECTIVES. What is counted is
what rank 0 says of its calls that wait inside.

    early_info.py --tutti build/bin/tutti --mpi mpich --programs build/bin --programs build/tests/preload
"""

import argparse
import os
import re
import subprocess
import tempfile
from pathlib import Path

AS_ROOT = ["--allow-run-as-root"] if os.geteuid() == 0 else []
LAUNCHERS = {"mpich": ["mpirun.mpich"], "openmpi": ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", *AS_ROOT]}
EXPECTED = re.compile(r"^(\d+) calls wait$", re.MULTILINE)
WAITS = "a call waits inside: "
WATCHED = WAITS + "to see what the program uses first"
BY_INFO = WAITS + "the communicator's info says so"


def found(options, program):
    """None where it was not built."""
    places = [folder.resolve() / f"{program}-{options.mpi}" for folder in options.programs]
    return next((place for place in places if place.exists()), None)


def run(options, program, *settings):
    """The number of calls that are to wait by their info, and what Tutti says."""
    words = [options.tutti.resolve(), "run", "--report", "none", "--mpi", options.mpi, "--set=NODES=0,1,0,1", "--set=VERBOSE=1",
             "--set=OVERLAP=on", "--set=TUNE=off", *(f"--set={text}" for text in settings), "--", *LAUNCHERS[options.mpi],
             "-n", "4", found(options, program)]
    with tempfile.TemporaryDirectory() as folder:
        job = subprocess.run([str(word) for word in words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                             text=True, timeout=240, check=False,
                             env={**os.environ, "UCX_MEM_MMAP_HOOK_MODE": "none", "TMPDIR": folder})
    expected = EXPECTED.search(job.stdout)
    assert job.returncode == 0 and expected, f"{program}: status {job.returncode}\n{job.stdout}{job.stderr}"
    return int(expected[1]), job.stderr


def check_keys(options, program):
    expected, said = run(options, program)
    count = said.count(BY_INFO)
    assert count == expected, f"{program}: {count} calls wait by their info, and not {expected}\n{said}"
    if "buffers are guarded by" in said and program == "early_info":
        assert said.count(WAITS) - said.count(WATCHED) == count, f"{program}: calls wait for another reason\n{said}"
        assert said.count("'perhaps' is neither on nor off") == 1, said


def check_collectives(options):
    _, said = run(options, "early_info", "OVERLAP_COLLECTIVES=bcast,allgather")
    assert said.count(WAITS) == 0, f"alltoall is left alone, and is none of these\n{said}"
    _, said = run(options, "early_info", "OVERLAP_COLLECTIVES=bcast,alltoall")
    assert said.count(BY_INFO) > 0, f"alltoall is one of these\n{said}"
    for wrong in ("altoall", "barrier", "bcast,"):
        _, said = run(options, "early_info", f"OVERLAP_COLLECTIVES={wrong}")
        assert said.count("TUTTI_OVERLAP_COLLECTIVES: ") == 1 and said.count(WAITS) == 0, f"{wrong}\n{said}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tutti", type=Path, required=True)
    parser.add_argument("--mpi", choices=list(LAUNCHERS), required=True)
    parser.add_argument("--programs", type=Path, action="append", required=True)
    options = parser.parse_args()
    check_keys(options, "early_info")
    if found(options, "early_info_mpi"):
        check_keys(options, "early_info_mpi")
    check_collectives(options)


if __name__ == "__main__":
    main()
