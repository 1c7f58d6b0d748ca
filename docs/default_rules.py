"""What the built-in rules serve, as the README's table has it."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
RULES = ROOT / "src/select/default_rules.json"
PLACE = re.compile(r"(<!-- served by default: sizes[^>]*-->\n).*?(<!-- end -->)", re.S)
NODES_PLACE = re.compile(r"(<!-- served by default: nodes -->).*?(<!-- end -->)")
COLLECTIVES = ("bcast", "reduce", "allreduce", "reduce_scatter", "allgather", "alltoall", "gather", "scatter", "scan")
ROWS = {"2 and more ranks on a node": (2, "blocking"), "1 rank on a node": (1, "blocking"),
        "2 and more, nonblocking": (2, "nonblocking"), "1, nonblocking": (1, "nonblocking")}
MPIS = {"mpich": "MPICH", "openmpi": "Open MPI"}
UNITS = {"K": 1 << 10, "M": 1 << 20}


def number(text):
    return int(text[:-1]) * UNITS[text[-1]] if isinstance(text, str) else text


def size(value):
    return f"{value >> 20} MiB" if value >= 1 << 20 else f"{value >> 10} KiB"


def holds(rule, per_node, calls):
    least, most = rule.get("ranks_per_node", (1, None))
    return least <= per_node and (most is None or per_node <= most) and rule.get("calls", calls) == calls


def joined(ranges):
    """[(least, most)] without overlaps and gaps; `most` is None where there is no limit. Limits are in whole KiB."""
    found = []
    for least, most in sorted(ranges, key=lambda one: one[0]):
        if found and (found[-1][1] is None or least <= found[-1][1] + (1 << 10)):
            before = found[-1][1]
            found[-1] = (found[-1][0], None if before is None or most is None else max(before, most))
        else:
            found.append((least, most))
    return found


def cell(rules):
    if not rules:
        return "–"
    text = ", ".join(size(least) if most is None else f"{least >> 10} to {size(most)}"
                     for least, most in joined([tuple(number(end) for end in rule["bytes"]) for rule in rules]))
    limits = []
    mpis = {rule.get("mpi") for rule in rules}
    if None not in mpis:
        limits.append(" and ".join(MPIS[mpi] for mpi in sorted(mpis)))
    if all("ranks" in rule for rule in rules):
        limits.append(f"up to {max(rule['ranks'][1] for rule in rules)} ranks")
    return text + (f" ({', '.join(limits)})" if limits else "")


def table(rules):
    lines = ["| | " + " | ".join(COLLECTIVES) + " |", "|" + "---|" * (len(COLLECTIVES) + 1)]
    for name, (per_node, calls) in ROWS.items():
        cells = [cell([rule for rule in rules if rule["collective"] == collective and holds(rule, per_node, calls)])
                 for collective in COLLECTIVES]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def nodes_text(rules):
    """All rules hold for the same numbers of nodes: one sentence says it."""
    (least, most), = {tuple(rule["nodes"]) for rule in rules}
    return f"{least} and {most} nodes"


def readme():
    """The README with the table as the rules are now."""
    rules = json.loads(RULES.read_text())["rules"]
    text = NODES_PLACE.sub(lambda place: place[1] + nodes_text(rules) + place[2], README.read_text())
    return PLACE.sub(lambda place: place[1] + table(rules) + place[2], text)
