"""The page that bench/overlap.py writes: limits, tables, and the figures of paper 001 beside its statements."""

import statistics

import served
from chart import chart
from on_cluster import NAMES, size_text, with_range
from page import made_by

SHAPE_TEXT = {"2x1": "2 nodes × 1 rank", "4x2": "4 nodes × 2 ranks"}
# Names of runs, by what served Tutti's side.
THREAD, OWN_CHOICE = ("vectors", "long vectors", "blocks", "long blocks"), ("own vectors", "own blocks")
# Targets for every cell: minimum, maximum.
LEAST_OVERLAP = 97
MOST_TOTAL = 1.05
MOST_BEYOND_CPU = 2
MOST_START_TO_WAIT = 1.10


class Cell:
    """One collective at one size beside one computation."""

    def __init__(self, row, beside):
        self.row, self.beside = row, beside
        self.collective, self.bytes, self.computation = row["collective"], row["bytes"], beside["computation"]
        self.compute = statistics.median(beside["compute_us"])
        self.blocking = self.alone("native", "blocking_us")
        self.cpu = self.alone("native", "blocking_cpu_us")

    def alone(self, side, what):
        return statistics.median(self.row[side][what])

    def total(self, side):
        return statistics.median(self.beside[side]["total_us"])

    def overlap(self, side):
        return self.beside[side]["overlap_percent"]

    def bound(self):
        """The reference for the total: overlap leaves the longer of the two, and if all cores compute, the
        transfer's own CPU time is added."""
        return max(self.compute, self.blocking) + (self.cpu if self.is_busy() else 0)

    def is_busy(self):
        return self.computation != "asleep"

    def start_to_wait(self):
        return self.alone("tutti", "pure_us") / self.alone("tutti", "blocking_us")

    def is_same_code(self):
        """The MPI's own code served the nonblocking calls of Tutti's side, too."""
        return served.is_same_code(self.row["served"])

    def misses(self):
        found = []
        if self.total("tutti") > MOST_TOTAL * self.bound():
            found.append("total")
        if self.is_busy() and self.beside["tutti"]["slow_down_beyond_cpu_percent"] >= MOST_BEYOND_CPU:
            found.append("slow-down")
        if not self.is_busy() and self.overlap("tutti") < LEAST_OVERLAP:
            found.append("overlap")
        return found


def cells_of(run):
    return [Cell(row, beside) for row in run["measurements"] for beside in row["beside"]]


def ms(samples):
    return with_range([sample / 1000 for sample in samples])


def cell_text(cell):
    beside, row = cell.beside, cell.row
    verdict = "same code" if cell.is_same_code() else ", ".join(cell.misses())
    return (f"| i{cell.collective} | {size_text(cell.bytes)} | {ms(row['native']['blocking_us'])} | {cell.cpu / 1000:.2f} | "
            f"{ms(row['tutti']['pure_us'])} | {cell.start_to_wait():.2f} | {cell.compute / 1000:.2f} | "
            f"{ms(beside['native']['total_us'])} | {ms(beside['tutti']['total_us'])} | "
            f"{cell.total('tutti') / cell.bound():.3f} | {cell.overlap('native'):.0f} | {cell.overlap('tutti'):.1f} | "
            f"{beside['tutti']['slow_down_percent']:.1f} | {beside['tutti']['slow_down_beyond_cpu_percent']:.1f} | "
            f"{'**' + verdict + '**' if verdict else 'holds'} | {served.text(row['served'])}{'' if row['right'] else ' **wrong result**'} |")


TABLE_HEAD = ["| collective | size | blocking, native | CPU of it | start to wait, Tutti | × blocking Tutti | computation "
              "| total, native | total, Tutti | × bound | overlap native % | overlap Tutti % | slow-down % "
              "| beyond CPU % | | served |", "|" + "---|" * 16]


def limit_cells(runs, names, mpi, shape):
    return [cell for name in names if (name, mpi, shape) in runs for cell in cells_of(runs[name, mpi, shape])]


def places(runs, names):
    """(text, cells) of every MPI and shape that was measured."""
    for mpi, name in NAMES.items():
        for shape, shape_text in SHAPE_TEXT.items():
            cells = limit_cells(runs, names, mpi, shape)
            if cells:
                yield f"{name}, {shape_text}", cells


def tables(runs):
    lines = []
    for served_by, names in (("progress thread", THREAD), ("own choice", OWN_CHOICE)):
        for place, cells in places(runs, names):
            for computation in dict.fromkeys(cell.computation for cell in cells):
                lines += ["", f"### {place}, computation {computation}, {served_by}", "", *TABLE_HEAD,
                          *(cell_text(cell) for cell in cells if cell.computation == computation)]
    return lines


def by_tutti(cells):
    """Cells of the MPI's own code say nothing of Tutti."""
    return [cell for cell in cells if not cell.is_same_code()]


def held(cells):
    """Number of cells that meet all targets, and of those that meet each target."""
    cells = by_tutti(cells)
    missed = [name for cell in cells for name in cell.misses()]
    parts = ("total", "slow-down" if any(cell.is_busy() for cell in cells) else "overlap")
    each = ", ".join(f"{name} {len(cells) - missed.count(name)}" for name in parts)
    return f"{sum(not cell.misses() for cell in cells)} of {len(cells)} ({each})"


def quick(cells):
    cells = by_tutti(cells)
    return f"{sum(cell.start_to_wait() <= MOST_START_TO_WAIT for cell in cells)} of {len(cells)}"


def overlap_spread(cells, side):
    cells = by_tutti(cells)
    return with_range([cell.overlap(side) for cell in cells], 0) if cells else "–"


def summary(runs):
    lines = ["| | asleep, thread: hold | asleep, own choice: hold | busy, thread: hold | busy, own choice: hold "
             "| start to wait ≤ 1.10 × blocking Tutti, thread | the same, own choice | overlap native %, asleep "
             "| overlap Tutti %, asleep |", "|---|---|---|---|---|---|---|---|---|"]
    by_place, own = places(runs, THREAD), dict(places(runs, OWN_CHOICE))
    rows = [(place, cells, own.get(place, [])) for place, cells in by_place]
    rows.append(("all", *(sum(column, []) for column in list(zip(*rows))[1:])))
    for place, cells, own_cells in rows:
        asleep, own_asleep = ([cell for cell in of if not cell.is_busy()] for of in (cells, own_cells))
        busy, own_busy = ([cell for cell in of if cell.is_busy()] for of in (cells, own_cells))
        lines.append(f"| {place} | {held(asleep)} | {held(own_asleep)} | {held(busy)} | {held(own_busy)} | "
                     f"{quick(asleep)} | {quick(own_asleep)} | {overlap_spread(asleep, 'native')} | {overlap_spread(asleep, 'tutti')} |")
    return lines


# --- figures

def points(run, samples_of, computation=None):
    """(size, median, least, most) of every row, in ms."""
    found = []
    for row in run["measurements"]:
        for beside in row["beside"][:1] if computation is None else row["beside"]:
            if computation in (None, beside["computation"]):
                samples = [us / 1000 for us in samples_of(row, beside)]
                found.append((row["bytes"], statistics.median(samples), min(samples), max(samples)))
    return found


def pure(side):
    return lambda row, beside: row[side]["pure_us"]


def total(side):
    return lambda row, beside: beside[side]["total_us"]


def overlaps(run, side, computation):
    return [(row["bytes"], *[beside[side]["overlap_percent"]] * 3) for row in run["measurements"]
            for beside in row["beside"] if beside["computation"] == computation]


def figures_6_and_7(runs):
    times, shares = [], []
    for mpi, name in NAMES.items():
        run, own = runs.get(("small", mpi, "2x1")), runs.get(("own thread", mpi, "2x1"))
        if run is None:
            continue
        series = {"native": points(run, pure("native")), "Tutti": points(run, pure("tutti"))}
        share = {"native": overlaps(run, "native", "asleep"), "Tutti": overlaps(run, "tutti", "asleep")}
        if own:
            series["native, own progress thread"] = points(own, pure("native"))
            share["native, own progress thread"] = overlaps(own, "native", "asleep")
        times.append((name, series))
        shares.append((name, share))
    return {"figure-6": chart(times, size_text, "start to wait, ms"),
            "figure-7": chart(shares, size_text, "overlap", percent=True)}


def computations_of(run):
    return list(dict.fromkeys(beside["computation"] for row in run["measurements"] for beside in row["beside"]))


def paper_runs(runs, mpi):
    return {name.removeprefix("paper "): run for (name, of, _), run in runs.items()
            if of == mpi and name.startswith("paper ")}


def by_implementation(runs, length, chosen):
    """One panel per MPI and number of threads; `chosen` names the settings to show."""
    panels = []
    for mpi, name in NAMES.items():
        mine = paper_runs(runs, mpi)
        if "ring" not in mine:
            continue
        for computation in computations_of(mine["ring"]):
            if computation.split()[1] != str(length):
                continue
            series = {"no progress (native)": points(mine["ring"], total("native"), computation)}
            for setting in chosen:
                label = f"progress thread, {setting}" if setting != "own choice" else "Tutti's own choice"
                series[label] = points(mine[setting], total("tutti"), computation)
            panels.append((f"{name}, {'OpenMP' if computation.endswith('openmp') else 'one thread'}", series))
    return chart(panels, size_text, "total, ms")


def figures(runs):
    drawn = figures_6_and_7(runs)
    for number, length, chosen in ((8, 100000, ("linear", "bruck", "ring")), (9, 5000000, ("linear", "bruck", "ring")),
                                   (10, 100000, ("ring", "own choice")), (11, 5000000, ("ring", "own choice"))):
        drawn[f"figure-{number}"] = by_implementation(runs, length, chosen)
    return drawn


# --- the paper's statements

def ratios(upper, lower):
    """Ratios of the medians of two series, by size."""
    below = {point[0]: point[1] for point in lower}
    return [point[1] / below[point[0]] for point in upper if point[0] in below]


def statement_6(runs):
    parts = []
    for mpi, name in NAMES.items():
        run, own = runs[("small", mpi, "2x1")], runs.get(("own thread", mpi, "2x1"))
        parts.append(f"{name}: Tutti takes {with_range(ratios(points(run, pure('tutti')), points(run, pure('native'))))} "
                     "of the native time")
        if own:
            parts[-1] += (", the MPI's own thread "
                          f"{with_range(ratios(points(own, pure('native')), points(run, pure('native'))))}")
    return "; ".join(parts)


def statement_7(runs):
    parts = []
    for mpi, name in NAMES.items():
        run = runs[("small", mpi, "2x1")]
        native, mine = ([point[1] for point in overlaps(run, side, "asleep")] for side in ("native", "tutti"))
        parts.append(f"{name}: native {with_range(native, 0)} %, Tutti {with_range(mine, 0)} %")
    return "; ".join(parts)


def totals_against_native(runs, length, setting):
    parts = []
    for mpi, name in NAMES.items():
        run = paper_runs(runs, mpi)[setting]
        values = []
        for computation in computations_of(run):
            if computation.split()[1] == str(length):
                values += ratios(points(run, total("tutti"), computation), points(run, total("native"), computation))
        parts.append(f"{name} {with_range(values)}")
    return "; ".join(parts)


def statements(runs):
    def native(length, setting):
        return f"total of Tutti / native, {setting}: {totals_against_native(runs, length, setting)}"
    rows = [("6", "a progress thread without locks needs far less time than the MPI's own", statement_6(runs)),
            ("7", "it overlaps far more than the MPI without a thread", statement_7(runs)),
            ("8", "short computation: the thread wins as messages grow", native(100000, "ring")),
            ("9", "long computation: without the thread is always faster", native(5000000, "ring")),
            ("10", "the automatic choice was much worse than a fixed one (a vote of the ranks)",
             native(100000, "own choice")),
            ("11", "the same with long computation", native(5000000, "own choice"))]
    return ["| figure | the paper says | here, 2 nodes × 1 rank |", "|---|---|---|",
            *(f"| {number} | {says} | {here} |" for number, says, here in rows)]


HEAD = """# Nonblocking collectives beside a computation (paper 001)

{made_by}. Instrument: [virtual cluster](../howto/virtual-cluster.md) on one machine of two cores (without autogroup
scheduling), 1 Gbit/s; idle ranks sleep in both variants, native (`PMPI_*`) and Tutti (`MPI_*`), measured alternately in one run of
`tutti bench --overlap`; medians (minimum–maximum) of the slowest rank in ms. An unmodified program without `MPI_Test`;
both sides run with `MPI_THREAD_MULTIPLE` ([what that costs](notes/thread-level.md)).
The size is the message of ibcast, the vector of iallreduce, and one block of iallgather and ialltoall.

The computation is the same work each time and takes as long as the blocking native call: *asleep* leaves the core free,
*busy* multiplies vectors. Overlap is 100 · (1 − (total − computation) / start to wait), of Tutti's own start to wait.
The bound is the longer of computation and native blocking call; busy: plus the CPU time that the blocking native call
takes from the cores. Asked for: total ≤ 1.05 × bound; asleep: overlap ≥ 97 %; busy: slow-down of the computation beyond
that CPU time under 2 %; start to wait with nothing in between ≤ 1.10 × the blocking Tutti call.

Each cell is measured twice: served by the progress thread with the algorithms of the rules (`TUTTI_TUNE=off`), and as
the call site chooses for itself after 80 calls, among progress modes, algorithms and the native MPI (`TUTTI_TUNE=all`,
with a budget that lets it try all candidates in these calls). The overlap in the first table is that of the thread.
Served: nonblocking calls by algorithms of Tutti's, as each run's report counts them; *same code*: the MPI served all, and the
cell is not counted.
"""


def require_algorithms(runs):
    """Each run has counted its calls, and those of the paper's figures went by the algorithm of their name."""
    for (name, mpi, shape), run in runs.items():
        if name == "own thread":  # without Tutti
            continue
        algorithm = name.removeprefix("paper ") if name.startswith("paper ") and name != "paper own choice" else None
        for row in run["measurements"]:
            where = f"{NAMES[mpi]}, {shape}, {name}: i{row['collective']} of {size_text(row['bytes'])}"
            served.require(row["served"], served.by(algorithm) if algorithm else lambda _: True, where, f"by {algorithm or 'anything'}")


def write_page(runs, output, command):
    folder = output.parent / output.stem
    folder.mkdir(exist_ok=True)
    drawn = figures(runs)
    for name, picture in drawn.items():
        (folder / f"{name}.svg").write_text(picture)
    some = next(iter(runs.values()))
    repetitions = len(some["measurements"][0]["native"]["pure_us"])
    require_algorithms(runs)
    lines = [HEAD.format(made_by=made_by(command)), f"{repetitions} repetitions of each side.", "", "## What holds", "", *summary(runs), "",
             "## The paper's statements, and what this machine shows", "",
             "The paper has 16 nodes of four cores and InfiniBand FDR; here two ranks share two cores and 1 Gbit/s, so a",
             "transfer takes long, and a thread never has a core of its own where both ranks compute. The computation is one",
             "vector product of length 100,000 (figures 8 and 10) or 5,000,000 (9 and 11).", "", *statements(runs), ""]
    lines += [f"![Figure {name.rsplit('-', 1)[1]}]({folder.name}/{name}.svg)\n" for name in drawn]
    lines += ["## Tables", *tables(runs)]
    output.write_text("\n".join(lines) + "\n")
