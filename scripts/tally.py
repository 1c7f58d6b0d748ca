#!/usr/bin/env python3
"""Counts the results of a ctest run: prints "PASSED FAILED SKIPPED", and on stderr what failed, with its output.

    tally.py RESULTS.xml        as ctest --output-junit writes them
"""

import sys
import xml.etree.ElementTree as ElementTree

SHOWN_LINES = 60


def verdict_of(case):
    """ctest also reports "notrun" for a test whose program was not built; that is a failure."""
    if case.get("status") == "run":
        return "passed"
    skipped = case.find("skipped")
    is_skipped = skipped is not None and skipped.get("message", "").startswith("SKIP")
    return "skipped" if is_skipped or case.get("status") == "disabled" else "failed"


def show(case):
    print(f"\nFAILED: {case.get('name')}", file=sys.stderr)
    lines = (case.findtext("system-out") or "").splitlines()
    if len(lines) > SHOWN_LINES:
        print(f"  … {len(lines) - SHOWN_LINES} lines before these", file=sys.stderr)
    for line in lines[-SHOWN_LINES:]:
        print("  " + line, file=sys.stderr)


def main(file_name):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for case in ElementTree.parse(file_name).getroot().iter("testcase"):
        verdict = verdict_of(case)
        counts[verdict] += 1
        if verdict == "failed":
            show(case)
    print(*counts.values())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: tally.py RESULTS.xml")
    try:
        main(sys.argv[1])
    except (OSError, ElementTree.ParseError) as error:
        sys.exit(f"tally.py: {sys.argv[1]}: {error}")
