#!/usr/bin/env python3
"""Takes the example files out of a page, to be built: a code block below a line `<!-- file: NAME -->`.

    extract.py PAGE NAME OUTPUT
"""

import re
import sys
from pathlib import Path


def main(page, name, output):
    block = re.search(rf"<!-- file: {re.escape(name)} -->\n```\w*\n(.*?)```", Path(page).read_text(), re.DOTALL)
    if block is None:
        return f"{page} has no example file {name}"
    Path(output).write_text(block[1])
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: extract.py PAGE NAME OUTPUT")
    sys.exit(main(*sys.argv[1:]))
