#!/usr/bin/env python3
"""No circle of includes in src is longer than three files; a .cpp file counts together with its header. The folders of
src/mpi form no circle at all.

Files in one circle can only be understood, built and tested together. The circles are the strongly connected
components of the graph of includes.
"""

import re
import sys
from pathlib import Path

from tree import ROOT, finish, project_files, short

LONGEST = 3
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
SOURCE = ROOT / "src"


def unit_of(path):
    """Header and implementation are one unit, named without the suffix."""
    return short(path.with_suffix(""))


def include_graph(files):
    """unit -> the units that it includes. Includes are relative to src or to the including file."""
    known = set(files)
    graph = {unit_of(path): set() for path in files}
    for path in files:
        for name in INCLUDE.findall(path.read_text(errors="replace")):
            candidates = ((path.parent / name).resolve(), SOURCE / name)
            found = next((candidate for candidate in candidates if candidate in known), None)
            if found and unit_of(found) != unit_of(path):
                graph[unit_of(path)].add(unit_of(found))
    return graph


def order_of_completion(graph):
    """All units, each after everything that it includes where there is no circle."""
    done, order = set(), []
    for root in graph:
        stack = [(root, iter(sorted(graph[root])))] if root not in done else []
        done.add(root)
        while stack:
            unit, rest = stack[-1]
            following = next((other for other in rest if other not in done), None)
            if following is None:
                order.append(unit)
                stack.pop()
            else:
                done.add(following)
                stack.append((following, iter(sorted(graph[following]))))
    return order


def circles(graph):
    """The strongly connected components of more than one unit (Kosaraju)."""
    included_by = {unit: set() for unit in graph}
    for unit, others in graph.items():
        for other in others:
            included_by[other].add(unit)
    assigned = set()
    for root in reversed(order_of_completion(graph)):
        members, stack = [], [root]
        while stack:
            unit = stack.pop()
            if unit not in assigned:
                assigned.add(unit)
                members.append(unit)
                stack += included_by[unit]
        if len(members) > 1:
            yield sorted(members)


def folder_graph(graph, room):
    """folder of the room -> the folders that its files include."""
    folders = {}
    for unit, others in graph.items():
        if unit.startswith(room):
            seen = folders.setdefault(str(Path(unit).parent), set())
            seen |= {str(Path(other).parent) for other in others if other.startswith(room)} - {str(Path(unit).parent)}
    return folders


def main():
    files = [path for path in project_files() if path.suffix in (".c", ".h", ".cpp", ".hpp") and SOURCE in path.parents]
    graph = include_graph(files)
    if sum(map(len, graph.values())) < len(graph):
        sys.exit("fewer includes than files were found; the pattern no longer fits")
    findings = [f"a circle of {len(members)} files: {' '.join(members)}" for members in circles(graph) if len(members) > LONGEST]
    findings += [f"a circle of folders: {' '.join(members)}" for members in circles(folder_graph(graph, "src/mpi/"))]
    finish(findings, f"{len(files)} files")


main()
