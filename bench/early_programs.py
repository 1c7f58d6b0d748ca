"""Two programs after NAS FT and IS, four ways (paper 002, Fig. 8 to 10)."""

import re
import statistics

import early_model
from early_micro import run_way
from on_cluster import MPIS, NAMES, with_range

PAPER_GAINS = {"fft3d": 5, "bucket_sort": 36}  # %
PROGRAMS = {"fft3d": ["--log2-side", 7, "--repeat", 5], "bucket_sort": ["--log2-keys", 23, "--log2-range", 19, "--repeat", 5]}
COLLECTIVES = {"fft3d": "alltoall", "bucket_sort": "alltoallv"}  # those that return early
SHAPES = ((2, 1), (2, 2), (4, 1))  # nodes, ranks of each
WAYS = ("native", "waits", "by hand", "early")
FIGURES = re.compile(r"total_s=([\d.]+) collective_s=([\d.]+) using_s=([\d.]+) after_s=([\d.]+) .*checksum=(\w+)")
TITLE = "Programs after NAS FT and IS (Fig. 8 to 10)"
HEAD = """\
`fft3d` transforms 128 × 128 × 128 complex numbers five times, by one `MPI_Alltoall` each; `bucket_sort` sorts 2^23 keys five
times, by one `MPI_Alltoallv` each (apps/). *By hand*: the native MPI, with `--nonblocking`: four slabs by `MPI_Ialltoall(v)`,
computation on one while others travel. *Tutti early*: `TUTTI_OVERLAP=on` and `TUTTI_TUNE=off`: every one
of these calls returned early, as the runs report, or the page had not been written. Times are ms of a run, of the slowest rank, as
median (minimum–maximum) of the runs. *Share*: of communication in the native run.

*Predicted*: what formula (3) lets early return gain, min(T_comm − T_init, T_CRC) of the native run's time, where T_CRC is the
computation that takes the data from where it has arrived: after it both programs need all of it. Ranks compute all the
time, on two cores, so the transfer's own processor time, which (3) knows nothing of, comes on top. Communication by hand
overlaps with computation *before* the exchange, too, which no call that is begun after it can.
"""


class Cell:
    """One program, served in one way: of every run, ms."""

    def __init__(self):
        self.totals, self.collectives, self.usings, self.afters = [], [], [], []

    def add(self, figures):
        for samples, seconds in zip((self.totals, self.collectives, self.usings, self.afters), figures):
            samples.append(float(seconds) * 1e3)

    def total(self):
        return statistics.median(self.totals)

    def collective(self):
        return statistics.median(self.collectives)


class Row:
    """One program on some ranks of one MPI."""

    def __init__(self, program, shape, mpi):
        self.program, self.shape, self.mpi = program, shape, mpi
        self.cells = {way: Cell() for way in WAYS}

    def measure(self, options):
        checksums = set()
        for turn in range(options.repetitions):
            for way in WAYS if turn % 2 == 0 else WAYS[::-1]:
                output = run_way(options, way, self.shape, self.words(options, way), f"{NAMES[self.mpi]}, {self.program}",
                                 COLLECTIVES[self.program])
                *figures, checksum = FIGURES.search(output).groups()
                self.cells[way].add(figures)
                checksums.add(checksum)
        if len(checksums) != 1:
            raise SystemExit(f"bench/early.py: results differ: {checksums}")

    def words(self, options, way):
        return [MPIS[self.mpi], "-n", self.shape[0] * self.shape[1], options.build / f"bin/{self.program}-{self.mpi}",
                 *PROGRAMS[self.program], "--no-verify", *(["--nonblocking"] if way == "by hand" else [])]

    def share(self):
        return self.cells["native"].collective() / self.cells["native"].total()

    def gain(self, other):
        """Gain of early return over another way."""
        return 1 - self.cells["early"].total() / self.cells[other].total()

    def predicted(self):
        native = self.cells["native"]
        return early_model.formula_3(native.collective(), self.cells["early"].collective(), 0,
                                     statistics.median(native.usings)) / native.total()

    def place(self):
        return f"| {self.program} | {self.shape[0]} × {self.shape[1]} | {NAMES[self.mpi]} | "

    def totals_text(self):
        return (self.place() + f"{100 * self.share():.0f} % | "
                + " | ".join(with_range(self.cells[way].totals, 0) for way in WAYS)
                + f" | {100 * self.gain('native'):.1f} % | {100 * self.gain('by hand'):.1f} % | {100 * self.predicted():.1f} % |")

    def phases_text(self):
        of = [("collectives", way) for way in WAYS] + [(what, way) for what in ("usings", "afters") for way in ("native", "early")]
        return self.place() + " | ".join(with_range(getattr(self.cells[way], what), 0) for what, way in of) + " |"


def measure(options):
    rows = [Row(program, shape, mpi) for program in PROGRAMS for shape in SHAPES for mpi in MPIS]
    for row in rows:
        row.measure(options)
        print(row.totals_text(), flush=True)
    return rows


def table(heads, rows):
    return ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads), *rows, ""]


def section(rows):
    place = ["program", "nodes × ranks", "MPI"]
    return [HEAD, "### Whole runs (Fig. 10)", "",
            *table([*place, "share", "native", "Tutti waits", "by hand", "Tutti early", "early gains over native",
                    "over by hand", "predicted"], [row.totals_text() for row in rows]),
            "### In the collectives, and after (Fig. 8, 9)", "",
            "*Using*: computation that takes the data from where it has arrived, with the waits in it. *After*: all computation",
            "after the exchange.", "",
            *table([*place, *(f"collectives, {way}" for way in WAYS), "using, native", "early", "after, native", "early"],
                   [row.phases_text() for row in rows])]


def percent(values):
    return with_range([100 * value for value in values], 1) + " %"


def summary(rows):
    lines = []
    for program, gain in PAPER_GAINS.items():
        of_program = [row for row in rows if row.program == program]
        lines += [f"| `{program}`: early gains over native | {percent([row.gain('native') for row in of_program])}; formula (3) "
                  f"predicts {percent([row.predicted() for row in of_program])} | {gain} % with the paper's share of "
                  f"communication; here that is {percent([row.share() for row in of_program])} |",
                  f"| `{program}`: early gains over by hand | {percent([row.gain('by hand') for row in of_program])} | ≥ −3 % |"]
    return lines
