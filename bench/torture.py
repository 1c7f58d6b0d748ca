#!/usr/bin/env python3
"""An hour of random programs on late ranks, natively and with Tutti (tests/torture/run.py says how).

    bench/torture.py BUILD [--minutes 60] [--valgrind] [any other option of tests/torture/run.py]

Prints every failure with a command that repeats it, and at the end what passed. BUILD is a build tree with tests.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/torture"))
import run  # noqa: E402

if __name__ == "__main__":
    chosen = {"--minutes", "--seeds", "--case", "--cases"} & {word.split("=")[0] for word in sys.argv}
    sys.exit(run.main(sys.argv[1:] + ([] if chosen else ["--minutes", "60"])))
