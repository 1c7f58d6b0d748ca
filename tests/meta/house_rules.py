#!/usr/bin/env python3
"""Checks rules that a compiler does not: short files, no notes to self, no traces of one machine, names as agreed."""

import os
import re

from tree import finish, project_files, short

MOST_LINES = 500
MOST_COLUMNS = 120  # of comments, which clang-format leaves alone
TEXT = (".c", ".h", ".cpp", ".hpp", ".py", ".sh", ".cmake", ".txt", ".md", ".json", ".in", ".toml", ".f", ".f90")
CODE = (".c", ".h", ".cpp", ".hpp", ".py", ".f", ".f90")
NOTE_TO_SELF = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
ONE_MACHINE = re.compile(r"(?<![\w$}.])/(?:work|home|root)/\w+")
NAME = re.compile(r"[a-z0-9_]+\.(?:[a-z0-9]+)(?:\.in)?$")
# Code, threads and ranks have names. The page is generated (src/record/page/bundle.py).
PRONOUN = re.compile(r"\b(?:nobody|somebody|whoever|anybody|everybody)\b", re.I)
PLAIN_ENGLISH = re.compile(r"(?:src(?!/record/page)|include|docs(?!/results))/")
COMMENT = re.compile(r"\s*(//|/?\*)")
FREE_NAMES = ("CMakeLists.txt",)


def findings_in(path):
    name = short(path)
    text = path.read_text(errors="replace")
    lines = text.splitlines()
    if path.suffix in CODE and len(lines) > MOST_LINES:
        yield f"{name}: {len(lines)} lines, more than {MOST_LINES}"
    if path.suffix in CODE and not NAME.match(path.name) and path.name not in FREE_NAMES:
        yield f"{name}: file names are snake_case"
    if path.suffix == ".hpp" and "#pragma once" not in text:
        yield f"{name}: no #pragma once"
    if text.startswith("#!") and not os.access(path, os.X_OK):
        yield f"{name}: is not executable"
    if text and not text.endswith("\n"):
        yield f"{name}: the last line has no end"
    for number, line in enumerate(lines, 1):
        if NOTE_TO_SELF.search(line):
            yield f"{name}:{number}: a note to self; finish it or write an issue"
        if path.suffix in (".cpp", ".hpp", ".c", ".h") and len(line) > MOST_COLUMNS and COMMENT.match(line):
            yield f"{name}:{number}: a comment of {len(line)} columns, more than {MOST_COLUMNS}"
        if PLAIN_ENGLISH.match(name) and (found := PRONOUN.search(line)):
            yield f"{name}:{number}: “{found.group()}”; name the rank, thread or user"
        if ONE_MACHINE.search(line):
            yield f"{name}:{number}: a path of one machine"


def main():
    files = [p for p in project_files() if p.suffix in TEXT or p.name in ("check", "demo", "run", "vcluster")]
    findings = []
    for path in files:
        findings += findings_in(path)
    finish(findings, f"{len(files)} files")


main()
