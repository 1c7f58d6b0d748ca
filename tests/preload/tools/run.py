#!/usr/bin/env python3
"""Other people's tools in the chain: what Tutti leaves to the native MPI reaches them, in front of Tutti the program still
runs, and the record names them.

    run.py BUILD --mpi mpich|openmpi
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

LAUNCHERS = {"mpich": ["mpirun.mpich"],
             "openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]}
SAYS = "tool: 1 init, 3 barrier, 5 allreduce, 1 send, 1 dup, 2 wait, 1 test, 1 finalize"


def run(line, preload):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TUTTI")}
    if preload:
        environment["LD_PRELOAD"] = preload
    done = subprocess.run([str(word) for word in line], capture_output=True, text=True, check=False, timeout=120,
                          stdin=subprocess.DEVNULL, env=environment)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, line))}\nended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stderr


def expect(condition, what, said):
    if not condition:
        sys.exit(f"{what}\n{said}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--mpi", choices=LAUNCHERS, required=True)
    options = parser.parse_args()
    build, mpi = options.build.resolve(), options.mpi
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "src/record/python"))
    import tutti_record  # pylint: disable=import-outside-toplevel
    tool, library = build / f"lib/libtool_of_others-{mpi}.so", build / f"lib/libtutti-{mpi}.so"
    said = subprocess.run([build / "bin/tutti", "info"], capture_output=True, text=True, check=True, timeout=60,
                          env={**os.environ, "LD_PRELOAD": str(tool)}).stdout
    expect(f"chain     {tool} " in said, "tutti info does not name the tool", said[:800])
    job = [*LAUNCHERS[mpi], "-n", "4"]
    program = build / f"bin/tooled-{mpi}"
    with tempfile.TemporaryDirectory() as folder:
        said = run([build / "bin/tutti", "run", "--report", "none", "--record", folder, "--set", "TUNE=off", "--", *job,
                    program], str(tool))
        expect(SAYS in said, "the tool behind Tutti misses calls", said)
        chain = tutti_record.read(folder)[0].description["chain"]
        expect([pathlib.Path(name).name for name in chain] == [tool.name], "the record does not name the tool", chain)
    said = run([*job, "env", f"LD_PRELOAD={tool}:{library}", program], None)
    expect(SAYS in said, "the tool in front of Tutti misses calls", said)
    print(f"{mpi}: {SAYS}")


main()
