#!/usr/bin/env python3
"""Links between the installed pages of the documentation lead somewhere: what they name is installed as well.

    tests/meta/installed_links.py --cmake CMAKE --build BUILD

Installs the folders that have no programs of BUILD's."""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from page_links import broken_links
from tree import finish

FOLDERS = ("packaging", "examples")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--build", type=Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tutti-links-") as name:
        for folder in FOLDERS:
            script = options.build / folder / "cmake_install.cmake"
            if not script.exists():
                continue
            ended = subprocess.run([options.cmake, f"-DCMAKE_INSTALL_PREFIX={name}", "-P", script], capture_output=True, text=True)
            if ended.returncode != 0:
                sys.exit(f"{script}: {ended.stderr}")
        pages = sorted(Path(name).rglob("*.md"))
        if not pages:
            sys.exit("no page was installed")
        findings = [f"{page.relative_to(name)}: links to {target}, which is not installed" for page in pages for target in broken_links(page)]
    finish(findings, f"{len(pages)} installed pages")


main()
