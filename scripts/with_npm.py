#!/usr/bin/env python3
"""Brings what SOURCE/package-lock.json names into FOLDER/node_modules, and becomes the command.

    with_npm.py FOLDER SOURCE -- COMMAND...

Exit status 77 where npm is missing or reaches nothing.
"""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

SKIPPED = 77
TIMEOUT_S = 120


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def bring(folder, source):
    lock = source / "package-lock.json"
    done = folder / hashlib.sha256(lock.read_bytes()).hexdigest()
    if done.exists():
        return
    if not shutil.which("npm"):
        skip("npm is missing")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for file in (source / "package.json", lock):
        shutil.copy(file, folder)
    try:
        subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"], cwd=folder, check=True,
                       timeout=TIMEOUT_S, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        skip(f"npm could not bring what {source}/package.json names: {error}")
    done.touch()


def main():
    folder, source, dashes, *command = sys.argv[1:]
    if dashes != "--":
        sys.exit(__doc__)
    bring(pathlib.Path(folder), pathlib.Path(source))
    os.execvp(command[0], command)


main()
