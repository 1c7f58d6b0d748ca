#!/usr/bin/env python3
"""Random programs of legal MPI calls on late ranks, natively and with Tutti: same results, and an end.

    run.py BUILD --seeds 1-8 --draws 2           fixed seeds
    run.py BUILD --minutes 60 [--valgrind]       seeds from now on, for so long
    run.py BUILD --case mpi=mpich,ranks=4,… [--shrink] [--repeat N]
    run.py BUILD --cases FILE --jobs 4           the cases of a file, one a line
    run.py BUILD --actors …                      with ranks as threads

Each seed is a program for one MPI and 2 to 6 ranks. It is run natively first: where that fails, the seed is left out
and counted. Then it is run under Tutti, in `--draws` drawn configurations. A run that ends with another result than
natively, or does not end, is a failure, and is shown with a command that repeats it. --shrink looks for few operations
that fail alike.
"""

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cases import MPIS, Bench, draw_actors, draw_case, draw_program, parse_case  # noqa: E402

NATIVE_TIMEOUT_S = 60


def patience_s(native):
    return 40 + 8 * native.seconds


class Torture:
    def __init__(self, options):
        self.options = options
        self.bench = Bench(options.build, options.valgrind, options.actors)
        self.algorithms = self.bench.algorithms()
        self.counts = {"passed": 0, "failed": 0, "natively failed": 0}

    def run_seed(self, seed, mpi):
        program = draw_program(seed, mpi, self.options.operations)
        if self.options.naps is not None:
            program = replace(program, naps=self.options.naps)
        native = self.bench.run(program, True, NATIVE_TIMEOUT_S)
        if not native.is_good():
            self.counts["natively failed"] += 1
            if self.options.verbose:
                print(f"natively: {program.text()}: {native.describe()}", flush=True)
            return
        for draw in range(self.options.draws):
            case = (draw_actors(program, draw) if self.options.actors else
                    draw_case(program, draw, self.algorithms))
            case = replace(case, settings=tuple(dict(case.settings, **dict(self.options.set)).items()))
            self.judge(case, native, self.bench.run(case, False, patience_s(native)))

    def run_case(self, case):
        native = self.bench.run(case.native(), True, NATIVE_TIMEOUT_S)
        if native.is_good():
            self.judge(case, native, self.bench.run(case, False, patience_s(native)))
        else:
            self.counts["natively failed"] += 1
            print(f"natively: {case.text()}: {native.describe()}", flush=True)

    def judge(self, case, native, result):
        if result.is_good() and result.digest() == native.digest():
            self.counts["passed"] += 1
            if self.options.verbose:
                print(f"passed {case.text()}: {result.seconds:.1f} s, natively {native.seconds:.1f} s", flush=True)
            return
        # An MPI that fails now and then does so natively as well.
        again = [self.bench.run(case.native(), True, NATIVE_TIMEOUT_S) for _ in range(self.options.native_repeats)]
        if not all(run.is_good() for run in again):
            self.counts["natively failed"] += 1
            print(f"natively at times: {case.text()}: {result.describe()}", flush=True)
            return
        self.counts["failed"] += 1
        print(f"FAILED --case {case.text()}\n    {result.describe()}", flush=True)
        if result.is_good():
            print("    the digest differs from the native one")
        print(f"    {' '.join(self.bench.words(case, False))}")
        for line in (result.stacks + result.memory_errors).splitlines():
            print(f"    {line}")
        sys.stdout.flush()

    def seeds(self):
        if self.options.seeds:
            yield from self.options.seeds
            return
        seed, last = int(time.time()) % 10**8, time.monotonic() + 60 * self.options.minutes
        while time.monotonic() < last:
            yield seed
            seed += 1

    def run(self):
        if self.options.cases:
            lines = [line for line in self.options.cases.read_text().splitlines() if line and line[0] != "#"]
            cases = [case for case in map(parse_case, lines) if case.mpi in self.bench.mpis()]
            with ThreadPoolExecutor(self.options.jobs) as pool:
                list(pool.map(self.run_case, cases))
            return self.verdict()
        mpis = [mpi for mpi in self.options.mpi or MPIS if mpi in self.bench.mpis()]
        if not mpis:
            sys.exit(f"torture: {self.options.build} has no torture programs; build preload_programs and the library")
        for seed in self.seeds():
            for mpi in mpis:
                self.run_seed(seed, mpi)
        return self.verdict()

    def verdict(self):
        print(", ".join(f"{count} {name}" for name, count in self.counts.items()))
        if self.counts["passed"] + self.counts["failed"] == 0:
            print("nothing was tested")
            return 1
        return 1 if self.counts["failed"] else 0


class Shrinker:
    """Looks for as few operations as fail alike: first the shortest begin, then without ever smaller parts."""

    def __init__(self, bench, case, repeat, timeout_s):
        self.bench, self.case, self.repeat, self.timeout_s = bench, case, repeat, timeout_s

    def fails(self, ids):
        case = replace(self.case, keep=",".join(map(str, sorted(ids))))
        if not any(not self.bench.run(case, False, self.timeout_s).is_good() for _ in range(self.repeat)):
            return False
        return self.bench.run(case.native(), True, self.timeout_s).is_good()

    def run(self):
        ids = sorted(ids_of(self.case))
        part = max(1, len(ids) // 2)
        while part >= 1:
            at = len(ids)
            while at > 0:  # what comes last is needed least
                begin = max(0, at - part)
                without = ids[:begin] + ids[at:]
                if without and self.fails(without):
                    ids = without
                    print(f"{len(ids)} operations: {','.join(map(str, ids))}", flush=True)
                at = begin
            part //= 2
        return replace(self.case, keep=",".join(map(str, ids)))


def ids_of(case):
    if not case.keep:
        return range(case.operations + 30)  # some more close what is open
    return [i for word in case.keep.split(",") for first, _, last in [word.partition("-")]
            for i in range(int(first), int(last or first) + 1)]


def run_case(bench, options):
    case = parse_case(options.case)
    if options.shrink:
        case = Shrinker(bench, case, options.repeat, options.timeout).run()
        print(f"--case {case.text()}")
        return 0
    native = bench.run(case.native(), True, NATIVE_TIMEOUT_S)
    print(f"natively: {native.describe()}, {native.seconds:.1f} s, digest {native.digest()}")
    print(" ".join(bench.words(case, False)))
    failures = 0
    for _ in range(options.repeat):
        result = bench.run(case, False, options.timeout)
        failures += not result.is_good() or result.digest() != native.digest()
        print(f"{result.describe()}, {result.seconds:.1f} s, digest {result.digest()}\n{result.stacks}"
              f"{result.memory_errors}", flush=True)
    print(f"{failures} of {options.repeat} failed")
    return 1 if failures else 0


def seed_list(text):
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def setting(text):
    key, _, value = text.partition("=")
    return key, value


def parse(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", help="a build tree, like build/release")
    parser.add_argument("--seeds", type=seed_list, metavar="FIRST-LAST")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--mpi", action="append", choices=MPIS)
    parser.add_argument("--draws", type=int, default=3, help="configurations for each seed (default: 3)")
    parser.add_argument("--operations", type=int, default=120, help="at most, for each program (default: 120)")
    parser.add_argument("--naps", type=int, help="stretches the naps of all ranks, in thousandths; 0: none")
    parser.add_argument("--set", type=setting, action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--native-repeats", type=int, default=2, help="native runs after a failure (default: 2)")
    parser.add_argument("--actors", action="store_true", help="with ranks as threads in place of the preloaded library")
    parser.add_argument("--valgrind", action="store_true", help="runs under Tutti under valgrind: minutes each")
    parser.add_argument("--case", metavar="KEY=VALUE,…", help="one run, as a failure shows it")
    parser.add_argument("--cases", type=Path, metavar="FILE", help="the cases of a file")
    parser.add_argument("--jobs", type=int, default=1, help="with --cases: at the same time (default: 1)")
    parser.add_argument("--shrink", action="store_true", help="with --case: look for few operations that fail")
    parser.add_argument("--repeat", type=int, default=1, help="with --case: how often (default: 1)")
    parser.add_argument("--timeout", type=float, default=60, help="with --case: seconds (default: 60)")
    parser.add_argument("--verbose", action="store_true", help="also say what passed")
    return parser.parse_args(arguments)


def main(arguments=None):
    options = parse(arguments)
    if options.case:
        return run_case(Bench(options.build, options.valgrind, options.actors), options)
    return Torture(options).run()


if __name__ == "__main__":
    sys.exit(main())
