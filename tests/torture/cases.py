"""One run of a random program: what it is run with, the run itself, and what is wrong with it."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

MPIS = ("mpich", "openmpi")
SHAPES = ("one", "cyclic", "block", "spread")
SETTINGS = {  # drawn alike; None leaves the default
    "TUTTI_PROGRESS": [None, "thread", "thread:shared", "inline", "off", "auto"],
    "TUTTI_TRANSPORT": [None, "mpi", "ucx"],
    "TUTTI_TUNE": [None, "all"],
    "TUTTI_TUNE_BUDGET": [None, "1000"],
    "TUTTI_AGENTS": [None, None, "on", "off"],
    "TUTTI_OVERLAP": [None, "on"],
    "TUTTI_OVERLAP_BYTES": ["1", "4096", None],
    "TUTTI_OVERLAP_GUARD": [None, "key", "userfaultfd:user", "mprotect"],
    "TUTTI_SHM_SIZE": [None, None, None, "0"],
    "TUTTI_CMA": [None, None, None, "off"],
    "TORTURE_HURRY": [None, "30", "300"],
}
# The collectives that leader policy `agent` serves.
BY_AGENTS = ("allgather", "allgatherv", "allreduce", "alltoall", "barrier", "bcast", "gather", "reduce", "reduce_scatter",
             "reduce_scatter_block", "scatter")


@dataclass(frozen=True)
class Case:
    mpi: str
    ranks: int
    seed: int
    operations: int
    naps: int = 1000
    shape: str = "one"
    keep: str = ""
    settings: tuple[tuple[str, str], ...] = field(default_factory=tuple)

    def native(self):
        return replace(self, shape="one", settings=())

    def text(self):
        """The argument of --case."""
        words = {"mpi": self.mpi, "ranks": self.ranks, "seed": self.seed, "operations": self.operations,
                 "naps": self.naps, "shape": self.shape, **dict(self.settings)}
        if self.keep:
            words["keep"] = self.keep.replace(",", "+")
        return ",".join(f"{key}={value}" for key, value in words.items())


def parse_case(text):
    words = dict(word.split("=", 1) for word in text.split(","))
    settings = tuple((key, words.pop(key)) for key in list(words) if key.isupper())
    numbers = {key: int(words.pop(key)) for key in ("ranks", "seed", "operations", "naps") if key in words}
    return Case(**words | numbers | {"keep": words.get("keep", "").replace("+", ","), "settings": settings})


def draw_program(seed, mpi, operations):
    rng = random.Random(seed * 2 + MPIS.index(mpi))
    return Case(mpi, rng.randint(2, 6), seed, rng.randint(operations // 2, operations), rng.choice((0, 1000, 1000)))


def draw_algorithm(rng, algorithm):
    """The word for a forced algorithm, in which one parameter may have another value than its default."""
    parameters = [p for p in algorithm["parameters"] if "choices" in p or p["name"] == "segment"]
    if not parameters or rng.random() < 0.3:
        return algorithm["name"]
    parameter = rng.choice(parameters)
    value = rng.choice(parameter.get("choices", ["4K", "64K"]))
    return f"{algorithm['name']}:{parameter['name']}={value}"


def draw_case(program, draw, algorithms):
    """`algorithms`: the catalogue, of which some are forced in every second case."""
    rng = random.Random(f"{program.seed}/{program.mpi}/{draw}")
    settings = [(key, value) for key, values in SETTINGS.items() if (value := rng.choice(values)) is not None]
    if rng.random() < 0.5:
        for collective in sorted({algorithm["collective"] for algorithm in algorithms}):
            if rng.random() < 0.7:
                chosen = rng.choice([a for a in algorithms if a["collective"] == collective])
                by_agents = collective in BY_AGENTS and rng.random() < 0.4
                word = "agent" if by_agents else draw_algorithm(rng, chosen)
                settings.append((f"TUTTI_{collective.upper()}", word))
    if rng.random() < 0.3:
        settings.append(("TUTTI_TEST_REFUSE", f"{program.seed}:{rng.choice((20, 200, 700))}"))
    return replace(program, shape=rng.choice(SHAPES[1:] * 2 + SHAPES[:1]), settings=tuple(settings))


def draw_actors(program, draw):
    """Ranks as threads: their number per process, and their leader."""
    rng = random.Random(f"{program.seed}/{program.mpi}/{draw}")
    return replace(program, settings=(("TUTTI_ACTORS_PER_PROCESS", rng.choice(("1", "2", "3", "15", "15"))),
                                      ("TUTTI_ACTORS_LEADER", rng.choice(("first", "first", "fixed")))))


def nodes(shape, ranks):
    """TUTTI_NODES, which presents the ranks of this machine as several nodes."""
    width = {"cyclic": lambda r: r % 2, "block": lambda r: r // 2, "spread": lambda r: r}[shape]
    return ",".join(str(width(rank)) for rank in range(ranks))


@dataclass
class Result:
    status: int | None  # None after a time-out
    stdout: str
    stderr: str
    seconds: float
    stacks: str = ""
    memory_errors: str = ""

    def is_good(self):
        return self.status == 0 and self.digest() != "" and not self.memory_errors

    def digest(self):
        found = re.search(r"digest (\w+)", self.stdout)
        return found.group(1) if found else ""

    def describe(self):
        if self.memory_errors:
            return "memory errors"
        what = "hang" if self.status is None else f"status {self.status}"
        lines = [line for line in (self.stderr + self.stdout).splitlines()
                 if re.search(r"FAILED|rror in|MPI_ERR|Assertion|Caught signal|Signal:|runcat|tutti", line)]
        return what + "".join(f"\n    | {line[:300]}" for line in lines[:6])


class Bench:
    """The location of the programs, and the way to run one."""

    def __init__(self, build, use_valgrind=False, actors=False):
        self.build = Path(build).resolve()
        self.actors = actors
        self.use_valgrind = use_valgrind
        libraries = self.build / "lib"
        self.tutti = {mpi: libraries / f"libtutti-{mpi}.so" for mpi in MPIS}
        self.nap = libraries / "libtutti_test_nap.so"
        self.refusals = libraries / "libtutti_test_refusals.so"
        self.short_timeouts = libraries / "libtutti_test_short_timeouts.so"

    def mpis(self):
        return [mpi for mpi in MPIS if self.tutti[mpi].exists() and self.program(mpi).exists()]

    def algorithms(self):
        tutti = self.build / "bin/tutti"
        if not tutti.exists():
            return []
        return json.loads(subprocess.check_output([tutti, "info", "--json"]))["algorithms"]

    def program(self, mpi):
        return self.build / "tests/torture" / f"torture{'_covered' if self.actors else ''}-{mpi}"

    def environment(self, case, is_native):
        if self.actors:
            return {"LD_PRELOAD": str(self.nap)} if is_native else dict(case.settings)
        refusals = [self.refusals] if "TUTTI_TEST_REFUSE" in dict(case.settings) else []
        preload = [] if is_native else [self.short_timeouts, self.tutti[case.mpi], *refusals]
        env = {"LD_PRELOAD": ":".join(str(library) for library in [*preload, self.nap])}
        if not is_native:
            env |= dict(case.settings)
            if case.shape != "one":
                env |= {"TUTTI_NODES": nodes(case.shape, case.ranks), "TUTTI_LINKS": "slow"}
        return env

    def words(self, case, is_native, logs=None):
        env = self.environment(case, is_native)
        if case.mpi == "mpich":
            words = ["mpiexec.mpich", "-n", str(case.ranks)]
            for key, value in env.items():
                words += ["-genv", key, value]
        else:
            words = ["mpirun.openmpi", *(["--allow-run-as-root"] if os.geteuid() == 0 else []), "--oversubscribe",
                     "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", "--mca", "op", "^avx",
                     "-n", str(case.ranks)]
            for key, value in env.items():
                words += ["-x", f"{key}={value}"]
        if logs:
            words += ["valgrind", "--quiet", "--num-callers=25", f"--log-file={logs}/%p"]
        if self.actors and not is_native:
            words += [str(self.build / "libexec/tutti" / f"tutti-actors-{case.mpi}")]
        words += [str(self.program(case.mpi)), "--seed", str(case.seed), "--operations", str(case.operations),
                  "--naps", str(case.naps)]
        return words + (["--keep", case.keep] if case.keep else [])

    def run(self, case, is_native, timeout_s):
        with tempfile.TemporaryDirectory(prefix="torture-", ignore_cleanup_errors=True) as folder:
            logs = folder if self.use_valgrind and not is_native else None
            token = f"TORTURE_RUN={os.getpid()}-{time.monotonic_ns()}"
            result = execute(self.words(case, is_native, logs), timeout_s * (20 if logs else 1), folder, token)
            if logs:
                result.memory_errors = memory_errors(Path(logs))
        return result


def memory_errors(folder):
    """valgrind's errors in Tutti's own code; the MPIs have their own errors."""
    found = []
    for log in sorted(folder.glob("[0-9]*")):
        blocks = re.split(r"==\d+== *\n", log.read_text(errors="replace"))
        found += [block for block in blocks if "libtutti-" in block and re.search(r"Invalid|uninitialised", block)]
    return "\n".join(found)


def processes_of(token):
    """The ranks of a run: processes with its mark in their environment, except launchers."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if token.encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append((int(folder.name), os.readlink(folder / "exe")))
        except OSError:
            continue
    return found


def stacks_of(token):
    ranks = [pid for pid, program in processes_of(token) if "/torture" in program]
    for pid in ranks:
        os.kill(pid, signal.SIGUSR2)  # it says on stderr where it is
    if shutil.which("gdb") is None:
        return "(no gdb: no stacks)"
    text = ""
    for pid in ranks:
        try:
            stack = subprocess.run(["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all bt 18"], timeout=60,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace")
        except subprocess.TimeoutExpired:
            continue
        text += f"process {pid}\n" + "".join(line[:150] + "\n" for line in stack.stdout.splitlines()
                                            if line.startswith(("#", "Thread")))
    return text


def end(process, token):
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
        except ProcessLookupError:
            pass
        try:
            process.communicate(timeout=5)
            break
        except subprocess.TimeoutExpired:
            continue
    for pid, _ in processes_of(token):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def execute(words, timeout_s, folder, token):
    begin = time.monotonic()
    key, value = token.split("=")
    # Files, not pipes: a rank that outlives its launcher does not block the reader.
    with open(f"{folder}/stdout", "w+") as out, open(f"{folder}/stderr", "w+") as err:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True,
                                   env=os.environ | {"TMPDIR": folder, key: value})
        stacks, status = "", None
        try:
            status = process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            stacks = stacks_of(token)
        end(process, token)
        seconds = time.monotonic() - begin
        texts = [Path(f"{folder}/{name}").read_text(errors="replace") for name in ("stdout", "stderr")]
    if status is None:
        stacks = "".join(line + "\n" for line in texts[1].splitlines() if " is at operation " in line) + stacks
    return Result(status, *texts, seconds, stacks)
