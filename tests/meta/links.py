#!/usr/bin/env python3
"""Links between the pages of the documentation lead somewhere, and what they quote from the source stands there."""

import re

from page_links import broken_links
from tree import ROOT, finish, project_files, short

# Files of the tree that a page names in passing: `src/mpi/report.hpp`.
NAMED = re.compile(r"`((?:src|docs|tests|tools|apps|bench|cmake|packaging|scripts|include)/[\w./-]+)`")
# A function of a file: `fingerprint()` in `src/base/settings.cpp`.
FUNCTION = re.compile(r"`(?:\w+::)*(\w+)\(\)`,?\s+in\s+`(src/[\w./-]+)`")
# Quoted source: a code block below `<!-- from: path -->`.
QUOTE = re.compile(r"<!-- from: (\S+) -->\n```\w*\n(.*?)```", re.DOTALL)


def findings_in(page):
    text = page.read_text()
    for target in broken_links(page):
        yield f"{short(page)}: links to {target}, which does not exist"
    for name in NAMED.findall(text):
        if not (ROOT / name).exists():
            yield f"{short(page)}: names {name}, which does not exist"
    for name, source in FUNCTION.findall(text):
        if (ROOT / source).is_file() and not re.search(rf"\b{name}\b", (ROOT / source).read_text()):
            yield f"{short(page)}: {name}() is not in {source}"
    for source, quote in QUOTE.findall(text):
        if quote not in (ROOT / source).read_text():
            yield f"{short(page)}: quotes {source}, which says something else"


def main():
    pages = [p for p in project_files() if p.suffix == ".md"]
    findings = []
    for page in pages:
        findings += findings_in(page)
    finish(findings, f"{len(pages)} pages")


main()
