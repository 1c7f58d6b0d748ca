#!/usr/bin/env python3
"""Pages of results document their origin (command, date, commit, kernel) and are listed; a program that writes one from
calls of an MPI checks the reports of its runs for the algorithms that served them (bench/served.py)."""

import re

from page_links import links_of
from tree import ROOT, finish, short

RESULTS = ROOT / "docs/results"
MADE_BY = re.compile(r"Made by `(bench/\w+\.py)[^`]*` on \d{4}-\d\d-\d\d, commit [0-9a-f]{7,40}(?:-dirty)?, kernel (not recorded|[\w.+-]+)")
# Made before kernels were recorded. A page that is made anew leaves this list, and none comes in.
WITHOUT_KERNEL = {
    "actors.md", "arrival.md", "collectives.md", "nbc-sia.md", "overlap.md", "prediction.md", "recorder.md",
    "selection.md", "simulation.md", "notes/own-messages.md", "notes/thread-level.md",
}
NOTES_OF_A_BENCH = "Made by `bench/"
RUNS_CALLS = re.compile(r"^from on_cluster import .*\b(?:bench|run_there)\b", re.M)
# Programs that print to the terminal, for readers and notes, or count by other means.
WRITE_NO_PAGE = {
    "beside.py": "asks the report by which network messages went",
    "communicators.py": "counts memory", "late.py": "prints what served each row", "recorder.py": "counts records",
    "thread_level.py": "calls are native",
}


def findings_in(page, listed):
    made = MADE_BY.findall(page.read_text())
    if not made:
        yield f"{short(page)}: does not say “Made by `bench/….py …` on DATE, commit …, kernel …” (bench/page.py: made_by)"
    for command, _ in made:
        if not (ROOT / command).exists():
            yield f"{short(page)}: is made by {command}, which does not exist"
    kernels = {kernel for _, kernel in made}
    name = str(page.relative_to(RESULTS))
    if "not recorded" in kernels and name not in WITHOUT_KERNEL:
        yield f"{short(page)}: its kernel is not recorded"
    if made and "not recorded" not in kernels and name in WITHOUT_KERNEL:
        yield f"{short(page)}: has been made anew: take it from WITHOUT_KERNEL in tests/meta/results.py"
    if page.resolve() not in listed:
        yield f"{short(page)}: docs/results/README.md has no link to it"


def benches():
    for path in sorted((ROOT / "bench").glob("*.py")):
        text = path.read_text()
        asks = "import served" in text or "run_way(" in text or "with_counts(" in text
        if RUNS_CALLS.search(text) and not asks and path.name not in WRITE_NO_PAGE and "write_page(" not in text:
            yield f"{short(path)}: runs calls of an MPI, and asks no report what served them (bench/served.py)"


def main():
    pages = [page for page in sorted(RESULTS.glob("*.md")) if page.name != "README.md"]
    pages += [page for page in sorted(RESULTS.glob("notes/*.md")) if NOTES_OF_A_BENCH in page.read_text()]
    listed = {(RESULTS / target).resolve() for target in links_of(RESULTS / "README.md")}
    findings = [finding for page in pages for finding in findings_in(page, listed)]
    finish([*findings, *benches()], f"{len(pages)} pages of results")


main()
