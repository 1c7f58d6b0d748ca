"""Functions of an MPI's C library, other than MPI calls, that its libraries for Fortran and C++ use."""

import pathlib
import re
import subprocess

NAMES = {"mpich": ("mpichfort", "mpichcxx"),
         "openmpi": ("mpi_mpifh", "mpi_usempif08", "mpi_usempi_ignore_tkr", "mpi_cxx")}
# Names of functions written by hand in <mpi>_internals.c.
DEFINITION = re.compile(r"^EXPORTED [\w ]*?\**(\w+)\(", re.MULTILINE)
OF_FORTRAN = re.compile(r"^FORTRAN\w*\((?:\w+, )??(mpi_\w+), (MPI_\w+)", re.MULTILINE)


def symbols(library, *options):
    run = subprocess.run(["nm", "-D", *options, library], text=True, check=True, capture_output=True)
    return [line.split()[-2:] for line in run.stdout.splitlines()]


def functions_by_hand(mpi):
    text = (pathlib.Path(__file__).parent / f"{mpi}_internals.c").read_text()
    of_fortran = OF_FORTRAN.findall(text)
    return {*DEFINITION.findall(text), *(upper for _, upper in of_fortran),
            *(name + end for name, _ in of_fortran for end in ("", "_", "__"))}


def needed_functions(mpi, library):
    """The functions of the library that the language libraries in its folder refer to."""
    there = {name.split("@")[0] for kind, name in symbols(library, "--defined-only") if kind in "TW"}
    needed = set()
    for name in NAMES[mpi]:
        beside = pathlib.Path(library).parent / f"lib{name}.so"
        if beside.exists():
            needed.update(symbol.split("@")[0] for _, symbol in symbols(beside, "--undefined-only"))
    return sorted(needed & there)


def absent_functions(mpi, library, present):
    """C code for the unimplemented ones, which end the job."""
    absent = [name for name in needed_functions(mpi, library) if name not in present | functions_by_hand(mpi)]
    return "".join(f'EXPORTED void absent_{i}(void) __asm__("{name}");\nvoid absent_{i}(void) {{ uncovered("{name}"); }}\n'
                   for i, name in enumerate(absent))
