#!/usr/bin/env python3
"""Writes docs/algorithms.md, docs/configuration.md, the man page and the shells' completions from what
`tutti info --json` says, and the tables of the README (readme_tables.py).

    docs/generate.py build/release/bin/tutti            write them
    docs/generate.py --check build/release/bin/tutti    only say whether they are current; exit status 1 when not
"""

import argparse
import difflib
import json
import os
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import command_pages
import readme_tables

DOCS = Path(__file__).resolve().parent
PACKAGING = DOCS.parent / "packaging"
ALGORITHMS_HEAD = """\
# Algorithms

<!-- Written by docs/generate.py from `tutti info --json`; edit the catalogue, not this page. -->

Force one for a collective with `TUTTI_<COLLECTIVE>=name:parameter=value`, as in `TUTTI_BCAST=chain:segment=64K`;
`native` stands for the MPI's own. `tutti schedule <collective> --algorithm <name> --ranks 8` shows what each rank
does. Rounds and bytes of each algorithm are stated at the head of its file in `src/algorithm/`, and the model tests
hold it to them.
"""
CONFIGURATION_HEAD = """\
# Settings

<!-- Written by docs/generate.py from `tutti info --json`; edit the table in src/base/settings.cpp, not this page. -->

Settings are environment variables, and the same on every rank: where ranks disagree, all collectives are left to the
native MPI. `tutti run --set NAME=VALUE` sets one for a run and refuses values that cannot be. `tutti info` shows what
is in force. A value in the environment that cannot be is reported in one line, and the default stays in force; an
unknown `TUTTI_` name is reported with the nearest known one, and an old name with the present one. Bytes take K, M and
G (powers of 1024).

A program that runs with more rights than the user who started it (set-user-ID, set-group-ID, file capabilities) takes
no setting from that user's environment: settings name files that are read and written. One line says so.
"""


def information(command):
    """What the command says with no setting in force."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("TUTTI")}
    result = subprocess.run([command, "info", "--json"], env=environment, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{command} info --json ended with status {result.returncode}: {result.stderr.strip()}")
    return json.loads(result.stdout)


def bytes_text(value):
    for factor, letter in ((1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")):
        if value >= factor and value % factor == 0:
            return f"{value // factor}{letter}"
    return str(value)


def range_text(row):
    if row.get("choices"):
        return ", ".join(f"`{choice}`" for choice in row["choices"])
    if "min" not in row:
        return {"flag": "`0`, `1`"}.get(row.get("kind"), "")
    if row.get("is_permille"):
        return f"{row['min'] / 10:g}% to {row['max'] / 10:g}%, or {row['min']} to {row['max']}"
    zero = "0, or " if row.get("takes_zero") else ""
    return f"{zero}{bytes_text(row['min'])} to {bytes_text(row['max'])}"


def cell(text):
    return text.replace("|", "\\|")


def parameter_text(parameter):
    return f"`{parameter['name']}={parameter['default']}` {cell(parameter['summary'])} ({range_text(parameter)})"


def algorithms_page(information):
    text = [ALGORITHMS_HEAD]
    for collective, rows in groupby(information["algorithms"], key=lambda row: row["collective"]):
        text.append(f"\n## {collective}\n\n| name | what it does | parameters and defaults | source |\n|---|---|---|---|\n")
        for row in rows:
            parameters = "<br>".join(parameter_text(p) for p in row["parameters"])
            text.append(f"| `{row['name']}` | {cell(row['summary'])} | {parameters} | {cell(row['source'])} |\n")
    return "".join(text)


def configuration_page(information):
    text = [CONFIGURATION_HEAD, "\n| setting | default | values | meaning |\n|---|---|---|---|\n"]
    for row in information["settings"]:
        default = f"`{row['default']}`" if row["default"] else "(empty)"
        text.append(f"| `{row['name']}` | {default} | {range_text(row)} | {cell(row['summary'])} |\n")
    return "".join(text)


def is_current(path, text):
    old = path.read_text() if path.exists() else ""
    if old == text:
        return True
    print(f"{path.name} is stale; run docs/generate.py")
    sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), text.splitlines(True), "is", "should be", n=0))
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; exit status 1 when a page is stale")
    parser.add_argument("command", help="the tutti command of a build")
    options = parser.parse_args()
    known = information(options.command)
    commands = known["commands"]
    template = (PACKAGING / "tutti.1.in").read_text()
    pages = {
        DOCS / "algorithms.md": algorithms_page(known),
        DOCS / "configuration.md": configuration_page(known),
        PACKAGING / "tutti.1": command_pages.man_page(template, commands),
        PACKAGING / "completion/tutti": command_pages.bash(commands),
        PACKAGING / "completion/_tutti": command_pages.zsh(commands),
        readme_tables.README: readme_tables.readme(),
    }
    if options.check:
        return 0 if all([is_current(path, text) for path, text in pages.items()]) else 1
    for path, text in pages.items():
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
