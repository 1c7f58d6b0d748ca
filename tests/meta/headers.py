#!/usr/bin/env python3
"""Every header compiles alone, with the warnings of the project.

    headers.py --compiler g++ --include DIRECTORY… [--mpi DIRECTORY,DIRECTORY…]…

Headers of rooms that speak MPI are compiled once with the include directories of each --mpi; without any they are left out.
"""

import argparse
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

from tree import finish, project_files, short

FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers", "-fsyntax-only"]
SPEAKS_MPI = ("src/transport/mpi/", "src/mpi/", "tests/mpi/", "apps/", "bench/")
LANGUAGE = {".hpp": "c++", ".h": "c"}


def system_includes(mpi):
    return [word for directory in filter(None, mpi.split(",")) for word in ("-isystem", directory)]


def compile_alone(options, header, mpi):
    is_c = header.suffix == ".h"
    flags = ["-std=c11", *FLAGS[1:]] if is_c else FLAGS
    includes = [word for directory in options.include for word in ("-I", directory)]
    command = [options.compiler, *flags, *includes, "-I", str(header.parent), *system_includes(mpi),
               "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", "-x", LANGUAGE[header.suffix], "-"]
    source = f'#include "{header}"\n#include "{header}"\n'
    result = subprocess.run(command, input=source, capture_output=True, text=True)
    return None if result.returncode == 0 else f"{short(header)}: does not compile alone\n{result.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--mpi", action="append", default=[])
    options = parser.parse_args()
    work = []
    for header in (p for p in project_files() if p.suffix in LANGUAGE):
        if short(header).startswith("tests/preload/"):
            continue  # C programs with their own build, which includes them
        variants = options.mpi if short(header).startswith(SPEAKS_MPI) else [""]
        work += [(header, mpi) for mpi in variants]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda item: compile_alone(options, *item), work)
        finish([finding for finding in results if finding], f"{len(work)} compilations")


main()
