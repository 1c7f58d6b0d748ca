"""The micro-benchmark of paper 002 (Fig. 6, Table 1): one collective, then computation without and with its data."""

import re
import statistics

import tempfile
from pathlib import Path

import early_model
import served
from on_cluster import MPIS, NAMES, run_there, with_range

# T_CURC and T_CRC in parts of T_comm, as in the paper's Table 1.
SCENARIOS = {"a": (1.66, 0), "b": (0, 1.31), "c": (0, 0.65), "d": (0.66, 1.31), "e": (0.66, 0.65)}
SHAPES = ((2, 1), (2, 2), (4, 1), (4, 2))  # nodes, ranks of each
ALLTOALL_BYTES = {(2, 1): 4 << 20, (2, 2): 2 << 20, (4, 1): 2 << 20, (4, 2): 1 << 20}  # from one rank to another
BCAST_BYTES = 2 << 20
WAYS = ("native", "waits", "early")
FIGURES = re.compile(r"call_s=([\d.]+) cpu_s=([\d.]+) total_s=([\d.]+) checksum=(\w+) wrong=0")
TITLE = "Micro-benchmark (Fig. 6, Table 1)"
HEAD = """\
A collective, computation that does not need its data (T_CURC), and computation that does (T_CRC, spread over all of it, in
order), in the paper's scenarios: T_CURC and T_CRC are 1.66 and 0 (a), 0 and 1.31 (b), 0 and 0.65 (c), 0.66 and 1.31 (d),
0.66 and 0.65 (e) of T_comm. Each rank sends each other 4 MiB (2 nodes × 1 rank), 2 MiB (2 × 2, 4 × 1) or 1 MiB (4 × 2); a
broadcast is of 2 MiB. Times are ms of an iteration, of the slowest rank, as median (minimum–maximum) of the runs.
*T_comm*: in the native call. *T_init*: in the call that returns early. *Hidden*: native less early. *(1)*: min(T_comm,
T_CURC + T_CRC). *(3)*: min(T_comm − T_init, T_CURC + T_CRC). *Bound*: (3) piece by piece for the slowest rank, whose own
block is there from the beginning but of use only in its turn: with two ranks it is half of the data, in the paper 1/64.

With computation asleep the processors are free for the transfer. With computation busy, on two ranks with a core each,
they are not: *T_cpu* is the processor time of the native call, and *(3) − T_cpu* what is left. (Where computation is shorter
than the transfer, as in c, the transfer may work in its gaps, so this asks for less than is possible.) More ranks than cores
would only show how they share these, so they sleep.
"""


def run_way(options, way, shape, words, where, collective):
    """What a program printed that was served in this way. `early`: every call of the collective has to return early."""
    if way not in ("waits", "early"):
        return run_there(*shape, words)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        overlap = ["--set", "OVERLAP=on", "--set", "TUNE=off"] if way == "early" else []
        output = run_there(*shape, [options.build / "bin/tutti", "run", "--report", report, *overlap, "--", *words])
        if way == "early":
            served.require(served.in_report(report, collective), served.early, where, "returned early")
    return output


class Cell:
    """One scenario, served in one way."""

    def __init__(self):
        self.calls, self.cpus, self.totals = [], [], []

    def add(self, figures, iterations):
        call, cpu, total, _ = figures
        self.calls.append(float(call) * 1e3)
        self.cpus.append(float(cpu) * 1e3)
        self.totals.append(float(total) * 1e3 / iterations)

    def call(self):
        return statistics.median(self.calls)

    def total(self):
        return statistics.median(self.totals)


class Row:
    """One scenario in one place."""

    def __init__(self, place, scenario, curc, crc):
        self.place, self.scenario, self.curc, self.crc = place, scenario, curc, crc
        self.cells = {way: Cell() for way in WAYS}

    def hidden(self):
        return self.cells["native"].total() - self.cells["early"].total()

    def t_comm(self):
        return self.cells["native"].call()

    def t_init(self):
        return self.cells["early"].call()

    def t_cpu(self):
        return statistics.median(self.cells["native"].cpus) if self.place.is_busy else 0

    def formula_1(self):
        return early_model.formula_1(self.t_comm(), self.curc, self.crc)

    def formula_3(self):
        return early_model.formula_3(self.t_comm(), self.t_init(), self.curc, self.crc)

    def bound(self):
        own = range(self.place.ranks()) if self.place.collective == "alltoall" else ()
        return early_model.bound(self.t_comm(), self.t_init(), self.curc, self.crc, own)

    def text(self):
        place, cells = self.place, self.cells
        nodes, per_node = place.shape
        cpu = f" | {self.t_cpu():.1f} | {self.formula_3() - self.t_cpu():.1f}" if place.is_busy else ""
        return (f"| {nodes} × {per_node} | {NAMES[place.mpi]} | {self.scenario} | {self.curc} | {self.crc} | "
                f"{with_range(cells['native'].calls, 1)} | "
                + " | ".join(with_range(cells[way].totals, 1) for way in WAYS)
                + f" | {with_range(cells['early'].calls, 1)} | {self.hidden():.1f} | {self.formula_1():.1f} | "
                  f"{self.formula_3():.1f} | {self.bound():.1f}{cpu} |")


class Place:
    """One collective on some ranks of one MPI, beside one kind of computation."""

    def __init__(self, is_busy, collective, shape, mpi):
        self.is_busy, self.collective, self.shape, self.mpi = is_busy, collective, shape, mpi

    def ranks(self):
        return self.shape[0] * self.shape[1]

    def run(self, options, way, unrelated_ms, related_ms):
        """Figures of every scenario."""
        size = ["--bcast", "--bytes", BCAST_BYTES] if self.collective == "bcast" else ["--bytes", ALLTOALL_BYTES[self.shape]]
        words = [MPIS[self.mpi], "-n", self.ranks(), options.build / f"bin/alltoall_compute-{self.mpi}", *size,
                 "--iterations", options.iterations, *([] if self.is_busy else ["--sleep"]),
                 "--unrelated-ms", ",".join(map(str, unrelated_ms)), "--related-ms", ",".join(map(str, related_ms))]
        output = run_way(options, way, self.shape, words, f"{NAMES[self.mpi]}, {self.collective}", self.collective)
        return FIGURES.findall(output)

    def measure(self, options):
        t_comm = float(self.run(options, "native", [0], [0])[0][0]) * 1e3
        rows = [Row(self, name, *(round(part * t_comm) for part in parts)) for name, parts in SCENARIOS.items()]
        checksums = set()
        for turn in range(options.repetitions):
            for way in WAYS if turn % 2 == 0 else WAYS[::-1]:
                figures = self.run(options, way, [row.curc for row in rows], [row.crc for row in rows])
                for row, of_row in zip(rows, figures, strict=True):
                    row.cells[way].add(of_row, options.iterations)
                    checksums.add(of_row[-1])
        if len(checksums) != 1:
            raise SystemExit(f"bench/early.py: results differ: {checksums}")
        return rows


def places():
    for is_busy in (False, True):
        for collective in ("alltoall", "bcast"):
            for shape in SHAPES[:1] if is_busy else SHAPES:
                for mpi in MPIS:
                    yield Place(is_busy, collective, shape, mpi)


def measure(options):
    rows = []
    for place in places():
        for row in place.measure(options):
            print(row.text(), flush=True)
            rows.append(row)
    return rows


def groups(rows, key):
    """[(key, rows with it)], in their order."""
    return [(value, [row for row in rows if key(row) == value]) for value in dict.fromkeys(map(key, rows))]


def title(is_busy, collective):
    return f"MPI_{collective.capitalize()}, computation {'busy' if is_busy else 'asleep'}"


def section(rows):
    lines = [HEAD]
    for (is_busy, collective), of_table in groups(rows, lambda row: (row.place.is_busy, row.place.collective)):
        heads = ["nodes × ranks", "MPI", "", "T_CURC", "T_CRC", "T_comm", "native", "Tutti waits", "Tutti early", "T_init",
                 "hidden", "(1)", "(3)", "bound", *(["T_cpu", "(3) − T_cpu"] if is_busy else [])]
        lines += [f"### {title(is_busy, collective)}", "", "| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads),
                  *(row.text() for row in of_table), ""]
    return lines


def percent(values):
    return with_range([100 * value for value in values], 0) + " %"


def ratios(pairs):
    """Ratios of the hidden time to the time that could be hidden, if that is not 0."""
    return percent([part / whole for part, whole in pairs if whole > 0] or [0])


def summary(rows):
    lines = []
    for key, of_place in groups(rows, lambda row: (row.place.is_busy, row.place.collective, row.place.shape)):
        is_busy, collective, (nodes, per_node) = key
        most, asked = ("(3) − T_cpu", "≥ 90 %") if is_busy else ("(3)", "≥ 95 %")
        lines.append(f"| {title(is_busy, collective)}, {nodes} × {per_node}: hidden, of {most} | "
                     f"{ratios((row.hidden(), row.formula_3() - row.t_cpu()) for row in of_place)}; of the bound "
                     f"{ratios((row.hidden(), row.bound()) for row in of_place)} | {asked} |")
    lines.append(f"| T_init, of T_comm | {percent([row.t_init() / row.t_comm() for row in rows])} | ≤ 6 % |")
    return lines
