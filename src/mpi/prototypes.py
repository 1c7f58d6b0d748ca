"""Reads the function declarations of an mpi.h and of other versions of the same MPI (versions/)."""

import pathlib
import re
import subprocess
from dataclasses import dataclass

FUNCTION = re.compile(r"(?:^|[;}\s])(?:extern )?(int|double|MPI_\w+) (MPIX?_\w+) ?\(([^;{]*?)\) ?;")
VERSIONS = pathlib.Path(__file__).resolve().parent / "versions"
NAME = re.compile(r"(\w+)\s*((?:\[[^\]]*\]\s*)*)$")


@dataclass(frozen=True)
class Prototype:
    result: str
    symbol: str  # MPI_Put_c
    parameters: tuple  # declarations

    @property
    def name(self):
        """Name without prefix and suffix: Put"""
        return re.sub(r"^MPIX?_|_c$", "", self.symbol)

    def signature(self, symbol=None):
        return f"{self.result} {symbol or self.symbol}({', '.join(self.parameters) or 'void'})"

    def names(self):
        return [name[1] for parameter in self.parameters if (name := NAME.search(parameter))]


def split(parameters):
    """Splits at commas outside of parentheses."""
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(parameters + ","):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append(parameters[start:place].strip())
            start = place + 1
    return tuple(part for part in parts if part not in ("", "void"))


def prototypes(compiler, folders, of_all_versions=True):
    """All functions, by their symbols. `folders`: those of mpi.h and the files that it includes."""
    line = [compiler, "-E", "-P", *(f"-I{folder}" for folder in [*folders, VERSIONS]), "-DOMPI_SKIP_MPICXX", "-x", "c", "-"]
    source = "#include <mpi.h>\n"
    if of_all_versions:
        source += '#ifdef OPEN_MPI\n#include "openmpi.h"\n#else\n#include "mpich.h"\n#endif\n'
    run = subprocess.run(line, input=source, text=True, check=True, capture_output=True)
    text = re.sub(r"__attribute__\s*\(\(.*?\)\)+", " ", run.stdout)
    text = re.sub(r"\s+", " ", text)
    found = {}
    for result, symbol, parameters in FUNCTION.findall(text):
        found[symbol] = Prototype(result, symbol, split(parameters))
    return found


# Functions that are new in MPI 4, or extensions: not every version of an MPI that may be loaded has them.
SINCE_MPI_4 = re.compile(r"MPIX_\w+|MPI_(\w+_c|(?!(?:S|Bs|Rs|Ss)end_init|Recv_init)\w+_init(_c)?|Isendrecv(_replace)?"
                         r"|Pready\w*|Parrived|Session_\w+|Info_(get_string|create_env)|Request_get_status_\w+"
                         r"|\w+_from_(groups?|session_pset)|Comm_idup_with_info|Buffer_i?flush"
                         r"|Comm_(attach_buffer|detach_buffer|flush_buffer|iflush_buffer))")


def is_in_all_versions(symbol):
    return SINCE_MPI_4.fullmatch(symbol) is None
