#!/usr/bin/env python3
"""A room sees only the rooms below it, and only what speaks MPI includes <mpi.h>.

The floors are those that src/<room>/CMakeLists.txt states, for the linker and for this test alike.
"""

import re
import sys

from tree import ROOT, finish, project_files, short

FLOORS = re.compile(r"FLOOR_BELOW\s+([a-z_\s]+?)\s*(?:LIBRARIES\b|EXCLUDE\b|\))")
INTERPOSITION_FLOORS = re.compile(r"set\(rooms_below\s+([a-z_\s]+?)\s*\)")
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)
SPEAKS_MPI = ("src/transport/mpi/", "src/collective/mpi/", "src/mpi/", "src/actors/calls/", "src/actors/container/", "src/actors/network/",
             "src/actors/process/", "src/actors/stub/", "tests/mpi/", "tests/preload/", "tests/tools/", "tests/torture/", "tests/meta/installation/",
              "apps/", "bench/", "examples/", "include/tutti/tutti.h")


ROOM = re.compile(r"tutti_room\((\w+)")


def floors():
    """room -> the rooms that it may see, itself included."""
    below = {}
    for list_file in sorted((ROOT / "src").glob("**/CMakeLists.txt")):
        text = list_file.read_text()
        is_room = list_file.parent.parent == ROOT / "src" or ROOM.search(text)
        if is_room:
            stated = FLOORS.search(text) or INTERPOSITION_FLOORS.search(text)
            room = "_".join(list_file.parent.relative_to(ROOT / "src").parts)
            below[room] = {room, *(stated.group(1).split() if stated else [])}
    return below


def room_of(folders, below):
    """The innermost room on a way of folders below src/."""
    return next((name for depth in range(len(folders), 0, -1) if (name := "_".join(folders[:depth])) in below), None)


def cycles(below):
    """Rooms that stand above themselves."""
    def reaches(room, goal, seen):
        return any(next_room == goal or (next_room not in seen and reaches(next_room, goal, seen | {next_room}))
                   for next_room in below.get(room, set()) - {room})
    return [f"src/{room}: stands above itself" for room in below if reaches(room, room, set())]


def findings_in(path, below):
    name = short(path)
    for included in INCLUDE.findall(path.read_text(errors="replace")):
        if "/" not in included and included != "mpi.h":
            continue
        if included == "mpi.h":
            if not name.startswith(SPEAKS_MPI):
                yield f"{name}: includes <mpi.h>"
            continue
        room = room_of(name.split("/")[1:-1], below)
        target = room_of(included.split("/")[:-1], below)
        if name.startswith("src/") and target is not None and target not in below[room]:
            yield f"{name}: includes {included}, but {target} is not below {room}"


def main():
    below = floors()
    if len(below) < 10:
        sys.exit(f"only {len(below)} rooms were found; the pattern no longer fits the CMakeLists.txt files")
    sources = [p for p in project_files() if p.suffix in (".c", ".h", ".cpp", ".hpp")]
    findings = cycles(below)
    for path in sources:
        findings += findings_in(path, below)
    finish(findings, f"{len(sources)} files, {len(below)} rooms")


main()
