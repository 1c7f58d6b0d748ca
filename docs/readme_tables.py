"""Tables of the README: what the built-in rules serve, and some rows of docs/results/collectives.md."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
RULES = ROOT / "src/select/default_rules.json"
MEASURED = ROOT / "docs/results/collectives.md"
PROOF_PLACE = re.compile(r"(<!-- proof[^>]*-->\n).*?(<!-- end -->)", re.S)
PROOF = (("bcast", "4 MiB"), ("reduce", "4 MiB"), ("allreduce", "4 MiB"), ("allgather", "1 MiB"), ("alltoall", "1 MiB"), ("gather", "1 MiB"))
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


def measured_rows(mpi):
    """{(collective, size): {column: text}} of the page's table of this MPI."""
    section = MEASURED.read_text().split(f"\n## {mpi}\n")[1].split("\n## ")[0]
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("|")]
    return {(cells[0], cells[1]): dict(zip(lines[0], cells)) for cells in lines[2:]}


def proof():
    def ms(row, column):
        return f"{float(row[column].split()[0]) / 1000:.1f}"

    lines = ["| | limit | MPICH | Tutti | Open MPI | Tutti |", "|---|---|---|---|---|---|"]
    tables = [measured_rows(mpi) for mpi in ("MPICH", "Open MPI")]
    for key in PROOF:
        cells = [ms(tables[0][key], "limit µs")]
        for rows in tables:
            cells += [ms(rows[key], "native µs"), f"**{ms(rows[key], 'Tutti µs')}**"]
        lines.append(f"| {', '.join(key)} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


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
    """The README with the tables as rules and measurements are now."""
    rules = [rule for rule in json.loads(RULES.read_text())["rules"] if rule.get("mpi") != "threads"]
    text = NODES_PLACE.sub(lambda place: place[1] + nodes_text(rules) + place[2], README.read_text())
    text = PLACE.sub(lambda place: place[1] + table(rules) + place[2], text)
    return PROOF_PLACE.sub(lambda place: place[1] + proof() + place[2], text)
