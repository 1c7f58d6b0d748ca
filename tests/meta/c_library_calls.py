#!/usr/bin/env python3
"""Somebody has thought of every function of the C library: whether it hands the program's memory to the kernel.

    c_library_calls.py --compiler cc
"""

import argparse
import subprocess
import sys

from tree import ROOT, finish

sys.path.insert(0, str(ROOT / "src" / "overlap" / "calls"))

import c_library  # noqa: E402

KINDS_OF_FUNCTIONS = "TWi"


def functions(library):
    listing = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True)
    entries = [line.split() for line in listing.stdout.splitlines()]
    return {entry[2].split("@")[0] for entry in entries if entry[1] in KINDS_OF_FUNCTIONS}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", required=True)
    compiler = parser.parse_args().compiler
    library = subprocess.run([compiler, "-print-file-name=libc.so.6"], check=True, capture_output=True, text=True).stdout.strip()
    names = functions(library)
    findings = [f"{name}: not in src/overlap/calls/c_library.py" for name in sorted(names) if not c_library.is_thought_of(name)]
    # A checked form hands over what the plain one does.
    findings += [f"{name}: hands memory to the kernel as {plain}() does" for name in sorted(names)
                 if (plain := name.removeprefix("__").removesuffix("_chk")) in c_library.HANDS_MEMORY
                 and name.endswith("_chk") and name not in c_library.HANDS_MEMORY]
    if len(names) < 1500:
        findings.append(f"only {len(names)} functions were found")
    finish(findings, f"{len(names)} functions")


main()
