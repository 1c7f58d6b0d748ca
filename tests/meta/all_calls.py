#!/usr/bin/env python3
"""Somebody has thought of every function that an mpi.h declares: whether it has to wait for data that has not arrived.

    all_calls.py --compiler cc --include FOLDER…
"""

import argparse
import sys

from tree import ROOT, finish

sys.path.insert(0, str(ROOT / "src" / "mpi"))

import calls  # noqa: E402
import other_calls  # noqa: E402
import prototypes  # noqa: E402

TABLES = (calls.COLLECTIVES, calls.NONBLOCKING, calls.PERSISTENT, calls.POINT_TO_POINT, calls.COMPLETIONS, calls.CREATIONS,
          calls.INFO)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include", nargs="+", required=True)
    options = parser.parse_args()
    rows = {call.name for table in TABLES for call in table}
    declared = prototypes.prototypes(options.compiler, options.include)
    findings = [f"{call.symbol}: not in src/mpi/calls.py or other_calls.py" for call in declared.values()
                if call.name not in rows and other_calls.kind_of(call.name) is None]
    for call in declared.values():
        has_data = any(map(other_calls.is_data, call.names()))
        is_indifferent = call.name not in rows and other_calls.kind_of(call.name) == "indifferent"
        if has_data and is_indifferent and not call.name.startswith("T_"):
            findings.append(f"{call.symbol}: is given data, and does not wait ({', '.join(call.names())})")
    findings += [f"{name}: in two lists" for name in sorted(rows & set(other_calls.SETTLING))]
    if len(declared) < 300:
        findings.append(f"only {len(declared)} functions were found; the patterns no longer fit mpi.h")
    finish(findings, f"{len(declared)} functions")


main()
