#!/usr/bin/env python3
"""What the preloaded library costs a call that it leaves to the native MPI, in ns and in instructions.

    bench/pass_through.py BUILD

BUILD is a build tree (build/release). Prints a table for docs/results/notes/pass-through.md. Instrument: counted work
(valgrind --tool=callgrind, the difference between runs with two numbers of calls), and wall time of both kinds of call in turn
in one process.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from on_cluster import NAMES
from page import made_by, table

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


def times(program, environment):
    """ns of a call: natively, preloaded."""
    return re.search(r"PMPI_Bcast ([\d.]+) ns, MPI_Bcast ([\d.]+) ns", run([program], environment)).groups()


def cells(program, preload):
    """Time of a call natively and preloaded, and the difference, also with other kinds of preloading."""
    row = []
    for environment in (preload, {**preload, "TUTTI_REPORT": "summary"}, {**preload, "TUTTI": "0"}):
        ns, preloaded_ns = map(float, times(program, environment))
        native, preloaded = (per_call(program, kind, environment) for kind in ("pmpi", "mpi"))
        if not row:
            row = [f"{ns:.1f} ns, {native:.0f} instructions", f"{preloaded_ns:.1f} ns, {preloaded:.0f} instructions"]
        row.append(f"{preloaded_ns - ns:.1f} ns, {preloaded - native:.0f} instructions")
    return row


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[2].strip())
    build = pathlib.Path(sys.argv[1]).resolve()
    rows = [[NAMES[mpi], *cells(build / f"bin/tutti-pass-through-{mpi}",
                                {"LD_PRELOAD": str(next(build.glob(f"lib*/**/libtutti-{mpi}.so")))})] for mpi in NAMES]
    print(f"{made_by('bench/pass_through.py BUILD')}.\n")
    print(table(("MPI", "native", "preloaded", "more", "more with the report of `tutti run`", "more with `TUTTI=0`"), rows))


if __name__ == "__main__":
    main()
