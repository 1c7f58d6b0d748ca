#!/usr/bin/env python3
"""Every header compiles alone, with the warnings of the project.

    headers.py --compiler g++ --include DIRECTORY… [--mpi DIRECTORY,DIRECTORY…]…

A header that a source file includes before anything else is compiled alone by the build, and left out here. Headers
of rooms that speak MPI are compiled once with the include directories of each --mpi; without any they are left out.
src/mpi/versions/NAME.h is for the MPI of that name alone.
"""

import argparse
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tree import finish, project_files, short

FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers", "-fsyntax-only"]
SPEAKS_MPI = ("src/transport/mpi/", "src/mpi/", "tests/mpi/", "tests/torture/", "apps/", "bench/", "include/tutti/tutti.h")
LANGUAGE = {".hpp": "c++", ".h": "c"}
# The first line of a file that is neither empty nor a comment, when it includes a file of the project.
OPENING_INCLUDE = re.compile(r'(?:\s|//[^\n]*\n|/\*.*?\*/)*#include "([^"]+)"', re.DOTALL)


def first_header(source, include_folders):
    """The header that the source file includes before anything else, or None."""
    opening = OPENING_INCLUDE.match(source.read_text(errors="replace"))
    if opening is None:
        return None
    paths = (Path(folder) / opening[1] for folder in (source.parent, *include_folders))
    return next((path.resolve() for path in paths if path.is_file()), None)


def system_includes(mpi):
    return [word for directory in filter(None, mpi.split(",")) for word in ("-isystem", directory)]


def variants_of(header, mpis):
    """The MPIs with which it is compiled; an empty one for headers that speak no MPI."""
    if short(header).startswith("src/mpi/versions/"):
        return [mpi for mpi in mpis if header.stem in mpi]
    return mpis if short(header).startswith(SPEAKS_MPI) else [""]


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
    files = project_files()
    built = {first_header(source, options.include) for source in files if source.suffix in (".cpp", ".c")}
    work = []
    for header in (p for p in files if p.suffix in LANGUAGE):
        if short(header).startswith("tests/preload/"):
            continue  # C programs with their own build, which includes them
        if header in built:
            continue
        work += [(header, mpi) for mpi in variants_of(header, options.mpi)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda item: compile_alone(options, *item), work)
        finish([finding for finding in results if finding], f"{len(work)} compilations")


main()
