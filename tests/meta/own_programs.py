#!/usr/bin/env python3
"""Benchmarks and applications of ours name no call by which Tutti takes a program for one that may lay down its means
(src/mpi/lifecycle/program_symbols.cpp): it would then be served without UCX and agents, and what is measured of it would say
nothing of other programs.

    own_programs.py PROGRAM…
"""

import re
import subprocess
import sys

from tree import ROOT, finish


def laying_down():
    text = (ROOT / "src/mpi/lifecycle/program_symbols.cpp").read_text()
    calls = re.search(r"bool names_laying_down.*?k_calls = \{(.*?)\}", text, re.S)
    return set(re.findall(r'"(\w+)"', calls[1])) if calls else sys.exit("own_programs.py: no names_laying_down()")


def named(program):
    listing = subprocess.run(["nm", "-D", "--undefined-only", program], check=True, capture_output=True, text=True)
    return {line.split()[-1].split("@")[0] for line in listing.stdout.splitlines()}


programs = sys.argv[1:]
calls = laying_down()
finish([f"{program}: names {name}()" for program in programs for name in sorted(named(program) & calls)], f"{len(programs)} programs")
