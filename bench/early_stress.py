#!/usr/bin/env python3
"""An hour of random checks of calls that return early (tests/preload/early_stress.py says how).

    bench/early_stress.py BUILD [--minutes 60] [any other option of tests/preload/early_stress.py]

Prints every failure with the line that repeats it, and at the end the checks by guard. BUILD is a build tree with tests.
"""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1])
    sys.exit(subprocess.run([sys.executable, "-B", HERE.parent / "tests/preload/early_stress.py",
                             "--tutti", build / "bin/tutti", "--programs", build / "bin",
                             "--nap", build / "lib/libtutti_test_nap.so",
                             # The long rounds show memory that each round leaves behind.
                             "--rounds", "400", "400", "400", "4000", *sys.argv[2:]],
                            check=False).returncode)
