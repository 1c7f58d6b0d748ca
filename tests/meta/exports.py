#!/usr/bin/env python3
"""A preload library exports entry points of MPI, tutti_*, PMIx_Init (src/mpi/entry/pmix_call.cpp), and the functions of the
C library in front of which it stands on purpose (src/overlap/calls), and nothing that could collide with a program;
what it opens exports one function. Neither leaves anything to exit() that would be destroyed before the program's last
calls: thread_local and static objects with destructors (src/base/per_thread.hpp).

    exports.py [--only SYMBOL] LIBRARY…
"""

import re
import subprocess
import sys

from tree import ROOT

sys.path.insert(0, str(ROOT / "src" / "overlap" / "calls"))

import c_library  # noqa: E402

ALLOWED = re.compile(rf"(MPIX?_\w+|mpix?_\w+|tutti_\w+|PMIx_Init|{'|'.join(c_library.in_front_of())})$")
# Each library must at least stand in front of these.
REQUIRED = {"MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Bcast", "MPI_Allreduce", "MPI_Alltoallw",
            "MPI_Comm_dup", "MPI_Start", "MPI_Put", "MPI_File_open", "read", "free", "tutti_version", "tutti_alltoallw_init", "tutti_start"}


def exported(library):
    listing = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True)
    return {line.split()[-1].split("@")[0] for line in listing.stdout.splitlines()}


# What destructors of static and of thread_local objects are registered with.
LEFT_TO_EXIT = {"__cxa_atexit", "__cxa_thread_atexit", "__cxa_thread_atexit_impl", "atexit", "on_exit"}


def needed(library):
    listing = subprocess.run(["nm", "-D", "--undefined-only", library], check=True, capture_output=True, text=True)
    return {line.split()[-1].split("@")[0] for line in listing.stdout.splitlines()}


def main(allowed, required, libraries):
    is_bad = False
    for library in libraries:
        symbols = exported(library)
        stray = sorted(s for s in symbols if not allowed.match(s))
        missing = sorted(required - symbols)
        for symbol in stray:
            print(f"{library}: exports {symbol}")
        for symbol in missing:
            print(f"{library}: does not export {symbol}")
        left = sorted(needed(library) & LEFT_TO_EXIT)
        for symbol in left:
            print(f"{library}: calls {symbol}: an object of it has a destructor that exit() calls too early")
        print(f"{library}: {len(symbols)} symbols")
        is_bad = is_bad or stray or missing or left
    return 1 if is_bad else 0


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments[:1] == ["--only"]:
        ALLOWED, REQUIRED = re.compile(re.escape(arguments[1]) + "$"), {arguments[1]}
        arguments = arguments[2:]
    if not arguments:
        sys.exit("usage: exports.py [--only SYMBOL] LIBRARY…")
    sys.exit(main(ALLOWED, REQUIRED, arguments))
