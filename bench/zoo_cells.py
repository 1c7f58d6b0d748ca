"""A cell of the zoo's page: one collective of one size, or one program, natively and under Tutti."""

import statistics

import served
from on_cluster import size_text

MOST_RATIO = 1.1


class Side:
    """Runs of one kind; each counts by its median, in µs."""

    def __init__(self):
        self.us, self.cpu_us = [], []

    def text(self):
        return f"{number(statistics.median(self.us))} ({number(min(self.us))}–{number(max(self.us))})"


def number(value):
    """Formats with three digits or more."""
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


class Cell:
    """Both kinds of runs of the same thing. `size` is None for a program."""

    def __init__(self, name, size):
        self.name, self.size = name, size
        self.native, self.tutti = Side(), Side()
        self.served = {}  # calls of Tutti's runs
        self.results = set()

    def add(self, is_native, us, cpu_us, by_choice):
        """One run: samples, and calls by what served them. `cpu_us` is empty where it is not known."""
        side = self.native if is_native else self.tutti
        side.us.append(statistics.median(us))
        side.cpu_us += [statistics.median(cpu_us)] if cpu_us else []
        if not is_native:
            self.served = served.added(self.served, by_choice)

    def has_result(self, result):
        """Whether the result equals that of all runs so far."""
        self.results.add(result)
        return len(self.results) == 1

    def is_measured(self):
        return bool(self.native.us and self.tutti.us)

    def ratio(self):
        return statistics.median(self.tutti.us) / statistics.median(self.native.us)

    def cpu_ratio(self):
        """None where it is not known, or the clock saw no processor time."""
        if not self.native.cpu_us or not self.tutti.cpu_us or statistics.median(self.native.cpu_us) <= 0:
            return None
        return statistics.median(self.tutti.cpu_us) / statistics.median(self.native.cpu_us)

    def is_same_code(self):
        return served.is_same_code(self.served)

    def overlaps(self):
        """The ranges of both kinds."""
        return min(self.tutti.us) <= max(self.native.us) and min(self.native.us) <= max(self.tutti.us)

    def holds(self):
        return self.is_measured() and (self.ratio() <= MOST_RATIO or (self.is_same_code() and self.overlaps()))

    def size_said(self):
        return "" if self.size is None else size_text(self.size)

    def said(self):
        return (f"{self.name} {self.size_said()}: {self.ratio():.2f} (native {self.native.text()}, Tutti {self.tutti.text()} µs; "
                f"{served.text(self.served)})")

    def row(self):
        cpu = self.cpu_ratio()
        verdict = f"{self.ratio():.2f}"
        if not self.holds():
            verdict = f"**{verdict}**"
        return [self.name, self.size_said(), self.native.text(), self.tutti.text(), verdict, "–" if cpu is None else f"{cpu:.2f}",
                served.text(self.served)]
