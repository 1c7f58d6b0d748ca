#!/usr/bin/env python3
"""Verifies a model exhaustively with spin, and that the verifier finds every planted error that the model names.

    check.py --spin spin --compiler gcc [--define NAME=VALUE ...] [--no-errors] MODEL.pml

--define sets a parameter of the model; planted errors set their own. --no-errors leaves them out.

Planted errors are the names in capitals, one a line, in the comment at the head of the model.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

PLANTED = re.compile(r"^ \*   ([A-Z_]+) {2,}\S", re.MULTILINE)
RESULT = re.compile(r"errors: (\d+)")
STATES = re.compile(r"^\s*(\d+(?:\.\d+)?(?:e\+\d+)?) states, stored", re.MULTILINE)
# The search is not complete when it runs against one of its own limits.
INCOMPLETE = ("max search depth too small", "out of memory", "Search not completed")


def run(command, directory):
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, check=True).stdout


def verify(options, model, defines, optimise="-O2"):
    """(number of errors, states, the verifier's words)"""
    with tempfile.TemporaryDirectory() as directory:
        run([options.spin, *(f"-D{define}" for define in defines), "-a", model], directory)
        run([options.compiler, optimise, "-w", "-DSAFETY", "-DMEMLIM=2048", "-o", "pan", "pan.c"], directory)
        # Words of the verifier decide, not its exit status, which is 0 in any case.
        words = run(["./pan", "-m1000000"], directory)
    result, states = RESULT.search(words), STATES.search(words)
    if result is None or states is None:
        sys.exit(f"the verifier says nothing that can be read:\n{words}")
    return int(result[1]), states[1], words


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spin", required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--define", action="append", default=[])
    parser.add_argument("--no-errors", action="store_true")
    parser.add_argument("model", type=pathlib.Path)
    options = parser.parse_args()
    model = options.model.resolve()
    planted_errors = PLANTED.findall(model.read_text())
    if not planted_errors:
        sys.exit(f"{model.name}: names no planted errors")
    errors, states, words = verify(options, model, options.define)
    if errors or any(limit in words for limit in INCOMPLETE):
        sys.exit(f"{model.name}: does not hold, or the search is not complete\n{words}")
    print(f"{model.name}: {' '.join([*options.define, ''])}holds in all of {states} states", flush=True)
    missed = []
    for planted in [] if options.no_errors else planted_errors:
        found = verify(options, model, [planted], "-O0")[0] > 0
        print(f"  {planted}: {'found' if found else 'NOT FOUND'}")
        if not found:
            missed.append(planted)
    if missed:
        sys.exit(f"{model.name}: the verifier is blind to {', '.join(missed)}")


main()
