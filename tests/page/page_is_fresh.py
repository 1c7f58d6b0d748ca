#!/usr/bin/env python3
"""The page that lies in the repository is what bundle.py makes of the files beside it.

    page_is_fresh.py PAGES MODULES

PAGES is src/record/page, MODULES the node_modules that npm made from its package-lock.json.
"""

import pathlib
import subprocess
import sys
import tempfile

pages, modules = map(pathlib.Path, sys.argv[1:])
with tempfile.TemporaryDirectory() as folder:
    fresh = pathlib.Path(folder) / "page.html"
    subprocess.run([sys.executable, "-B", str(pages / "bundle.py"), "--modules", str(modules), "--out", str(fresh)], check=True,
                   timeout=60)
    if fresh.read_bytes() != (pages / "report_page.html").read_bytes():
        sys.exit("src/record/page/report_page.html is old: build the target tutti_report_page, and commit it")
