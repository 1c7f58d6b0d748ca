"""What an mpi.h declares."""

import re
import subprocess
from dataclasses import dataclass

FUNCTION = re.compile(r"(?:^|[;}\s])(?:extern )?(int|double|MPI_\w+) (MPIX?_\w+) ?\(([^;{]*?)\) ?;")
NAME = re.compile(r"(\w+)\s*((?:\[[^\]]*\]\s*)*)$")


@dataclass(frozen=True)
class Prototype:
    result: str
    symbol: str  # MPI_Put_c
    parameters: tuple  # as they are declared

    @property
    def name(self):
        """Put"""
        return re.sub(r"^MPIX?_|_c$", "", self.symbol)

    def signature(self):
        return f"{self.result} {self.symbol}({', '.join(self.parameters) or 'void'})"

    def names(self):
        return [name[1] for parameter in self.parameters if (name := NAME.search(parameter))]


def split(parameters):
    """At commas outside of parentheses."""
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(parameters + ","):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append(parameters[start:place].strip())
            start = place + 1
    return tuple(part for part in parts if part not in ("", "void"))


def prototypes(compiler, folders):
    """All functions, by the names of their symbols. `folders`: where mpi.h and what it includes are."""
    line = [compiler, "-E", "-P", *(f"-I{folder}" for folder in folders), "-DOMPI_SKIP_MPICXX", "-x", "c", "-"]
    run = subprocess.run(line, input="#include <mpi.h>\n#ifdef OPEN_MPI\n#include <mpi-ext.h>\n#endif\n", text=True,
                         check=True, capture_output=True)
    text = re.sub(r"__attribute__\s*\(\(.*?\)\)+", " ", run.stdout)
    text = re.sub(r"\s+", " ", text)
    found = {}
    for result, symbol, parameters in FUNCTION.findall(text):
        found[symbol] = Prototype(result, symbol, split(parameters))
    return found
