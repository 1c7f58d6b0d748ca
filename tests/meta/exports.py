#!/usr/bin/env python3
"""A preload library exports entry points of MPI, tutti_*, PMIx_Init (src/mpi/entry/pmix_call.cpp), and the functions of the
C library in front of which it stands on purpose (src/overlap/calls), and nothing that could collide with a program;
what it opens exports one function. A preload library calls no function by a name that a program of ISO C may have given to
one of its own, except reviewed ones (POSIX). Neither kind leaves anything to exit() that would be
destroyed before the program's last calls: thread_local and static objects with destructors (src/base/per_thread.hpp).

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


# Functions that register destructors of static and of thread_local objects.
LEFT_TO_EXIT = {"__cxa_atexit", "__cxa_thread_atexit", "__cxa_thread_atexit_impl", "atexit", "on_exit"}


# Names that ISO C reserves, or that begin as POSIX reserves them, and weak functions of tests (src/collective/mpi/data/local_check.hpp).
RESERVED = re.compile(r"(_|pthread_|dl(?!_)|tutti_test_|P?MPIX?_|p?mpi_|PMIx_|OMPI_|ompi_|mca_|opal_)|(str|mem|wcs|wmem|mb|wc)[a-z_]+$|is[a-z]+$")
ISO_C = set("""abort aligned_alloc btowc cos exp expm1 fclose fegetround ferror fesetround fflush floor fmod fprintf fputc fputs
free getenv ldexp llround localeconv log log1p malloc pow raise setlocale snprintf sprintf sqrt stderr stdout tolower toupper
vsnprintf wctob""".split())
# POSIX functions: called by the MPIs, or by the C++ library, or such that a program's own definition means the same.
POSIX = set("""arc4random bind_textdomain_codeset bindtextdomain close closedir dgettext dirfd environ fchmod fchown fdopen fdopendir
fileno freeifaddrs freelocale fsync ftruncate getauxval geteuid gethostname getifaddrs getpid gettext iconv iconv_close iconv_open inet_pton
lseek64 newlocale pkey_alloc pkey_set readdir sched_yield secure_getenv setenv sigaddset sigdelset sigemptyset sigfillset sigismember
socket sysconf unsetenv uselocale""".split())


def needed(library):
    listing = subprocess.run(["nm", "-D", "--undefined-only", library], check=True, capture_output=True, text=True)
    return {line.split()[-1].split("@")[0] for line in listing.stdout.splitlines()}


def could_be_the_programs(names):
    return sorted(name for name in names if not RESERVED.match(name) and name not in ISO_C and name not in POSIX)


def main(allowed, required, libraries, is_preloaded):
    is_bad = False
    for library in libraries:
        symbols = exported(library)
        stray = sorted(s for s in symbols if not allowed.match(s))
        missing = sorted(required - symbols)
        for symbol in stray:
            print(f"{library}: exports {symbol}")
        for symbol in missing:
            print(f"{library}: does not export {symbol}")
        foreign = could_be_the_programs(needed(library)) if is_preloaded else []
        for symbol in foreign:
            print(f"{library}: calls {symbol}, which may be a function of the program's (see POSIX)")
        left = sorted(needed(library) & LEFT_TO_EXIT)
        for symbol in left:
            print(f"{library}: calls {symbol}: an object of it has a destructor that exit() calls too early")
        print(f"{library}: {len(symbols)} symbols")
        is_bad = is_bad or stray or missing or foreign or left
    return 1 if is_bad else 0


if __name__ == "__main__":
    arguments = sys.argv[1:]
    is_preloaded = arguments[:1] != ["--only"]
    if arguments[:1] == ["--only"]:
        ALLOWED, REQUIRED = re.compile(re.escape(arguments[1]) + "$"), {arguments[1]}
        arguments = arguments[2:]
    if not arguments:
        sys.exit("usage: exports.py [--only SYMBOL] LIBRARY…")
    sys.exit(main(ALLOWED, REQUIRED, arguments, is_preloaded))
