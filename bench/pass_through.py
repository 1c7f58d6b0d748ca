#!/usr/bin/env python3
"""What the preloaded library costs a call that it leaves to the native MPI, in ns and in instructions.

    bench/pass_through.py BUILD

BUILD is a build tree (build/release). Instrument: counted work (valgrind --tool=callgrind, the difference between runs
with two numbers of calls), and wall time of both kinds of call in turn in one process.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from page import made_by

CALLS = 20000


def run(line, environment):
    done = subprocess.run([str(word) for word in line], capture_output=True, text=True, errors="replace", check=False,
                          env={**os.environ, **environment})
    if done.returncode != 0:
        sys.exit(f"pass_through.py: {line[0]} ended with status {done.returncode}\n{done.stderr}")
    return done.stdout + done.stderr


def instructions(program, kind, count, environment):
    with tempfile.TemporaryDirectory() as folder:
        text = run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", program, kind, count],
                   environment)
    return int(re.search(r"Collected : (\d+)", text)[1])


def per_call(program, kind, environment):
    return (instructions(program, kind, CALLS, environment) - instructions(program, kind, 0, environment)) / CALLS


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[2].strip())
    build = pathlib.Path(sys.argv[1]).resolve()
    print(f"{made_by('bench/pass_through.py BUILD')}.")
    for mpi in ("mpich", "openmpi"):
        program = build / f"bin/tutti-pass-through-{mpi}"
        preload = {"LD_PRELOAD": str(next(build.glob(f"lib*/**/libtutti-{mpi}.so")))}
        print(mpi)
        for name, environment in (("Tutti", preload), ("with the report of `tutti run`", {**preload, "TUTTI_REPORT": "summary"}),
                                  ("TUTTI=0", {**preload, "TUTTI": "0"})):
            native, wrapped = (per_call(program, kind, environment) for kind in ("pmpi", "mpi"))
            print(f"  {name}: {re.search('PMPI_Bcast .*', run([program], environment))[0]}")
            print(f"  {name}: {native:.0f} instructions natively, {wrapped:.0f} preloaded, {wrapped - native:.0f} more")


if __name__ == "__main__":
    main()
