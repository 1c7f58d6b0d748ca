#!/usr/bin/env python3
"""Runs the corpus of unmodified MPI programs natively and under a preloaded library.

A program passes when both runs end with the exit status that programs.toml states and print the same. One native run
is compared with a preloaded one for each way to present the ranks as nodes. Without --preload only the native runs
are made, which checks the corpus itself.

    run.py --mpi mpich --programs build/tests/preload --preload build/src/mpi/libtutti-mpich.so

With --in-front a program is started in place of each, which gets it as its argument: that of ranks as threads.
"""

import argparse
import difflib
import functools
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
PYTHON = "/usr/bin/python3"  # the one that Debian's mpi4py belongs to
MPIS = ("mpich", "openmpi")
NODES_MAPS = ("one", "block", "cyclic", "uneven")
SHOWN_LINES = 12


@functools.cache
def version_of(mpi):
    """Major and minor, like "4.2"; empty where the MPI does not say."""
    words = {"mpich": ["mpichversion"], "openmpi": ["ompi_info", "--version"]}[mpi]
    try:
        text = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""
    found = re.search(r"(\d+\.\d+)\.\d+", text)
    return found[1] if found else ""


def is_among(mpi, names):
    """Names are those of an MPI, or of a version of it."""
    return mpi in names or f"{mpi} {version_of(mpi)}" in names


@dataclass
class Program:
    """One entry of programs.toml; the comments at its head say what the fields mean."""

    name: str
    file: str
    arguments: list[str] = field(default_factory=list)
    arguments_above_2: list[str] | None = None
    least_ranks: int = 1
    most_ranks: int = 64
    mpis: list[str] = field(default_factory=lambda: list(MPIS))
    status: str = "zero"
    output: str = "same"
    mask: str = ""
    native_defect: list[str] = field(default_factory=list)
    hangs_natively: list[str] = field(default_factory=list)
    native: bool = True
    opt_in: str = ""
    timeout_s: float = 180
    env: dict[str, str] = field(default_factory=dict)
    one_shape: bool = False
    nap: bool = True
    alone: bool = False
    actors: str = "runs"

    def command(self, mpi, folders):
        """The words to launch, or None when the program was not built."""
        if self.file.endswith(".py"):
            return [PYTHON, str(HERE / self.file)]
        for folder in folders:
            path = folder / f"{self.file}-{mpi}"
            if path.exists():
                return [str(path)]
        return None

    def has_native_defect(self, mpi):
        return is_among(mpi, self.native_defect)

    def hangs_with(self, mpi):
        return is_among(mpi, self.hangs_natively)

    def arguments_for(self, ranks):
        return self.arguments_above_2 if ranks > 2 and self.arguments_above_2 is not None else self.arguments


@dataclass
class Run:
    status: int | None  # None after a timeout
    stdout: str
    stderr: str
    seconds: float

    def describe(self):
        return "timed out" if self.status is None else f"status {self.status}"


def launcher(mpi, ranks, env):
    if mpi == "mpich":
        words = ["mpiexec.mpich", "-np", str(ranks)]
        for key, value in env.items():
            words += ["-genv", key, value]
        return words
    # Every job on its own would be bound to the first cores, and all that run at the same time would share these.
    words = ["mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-np", str(ranks)]
    if "OMPI_MCA_hwloc_base_binding_policy" not in os.environ:  # a shape of the zoo (tools/zoo) has its own
        words[1:1] = ["--bind-to", "none"]
    if os.geteuid() == 0:
        words.insert(1, "--allow-run-as-root")
    for key, value in env.items():
        words += ["-x", f"{key}={value}"]
    return words


def stop(process):
    """A launcher that is asked politely takes its ranks with it, even those in sessions of their own."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
        except ProcessLookupError:
            return
        try:
            process.communicate(timeout=5)
            return
        except subprocess.TimeoutExpired:
            continue


def wait_for(process, timeout_s):
    """Returns what it printed. Seconds are counted one by one: none pass while machine or container stand still."""
    for _ in range(int(timeout_s)):
        try:
            return process.communicate(timeout=1)
        except subprocess.TimeoutExpired:
            pass
    raise subprocess.TimeoutExpired(process.args, timeout_s)


def execute(words, timeout_s):
    # Jobs of Open MPI that begin and end at the same time take each other's folder for sessions away.
    with tempfile.TemporaryDirectory(prefix="tutti-", ignore_cleanup_errors=True) as folder:
        return execute_in(folder, words, timeout_s)


def end_what_is_left(folder):
    """Ranks of a job whose launcher is gone: that of MPICH 4.2 leaves those behind that wait for one that has crashed. They
    have the folder in their environment."""
    mine = f"TMPDIR={folder}".encode()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mine in (process / "environ").read_bytes().split(b"\0"):
                os.kill(int(process.name), signal.SIGKILL)
        except OSError:
            continue  # it has ended, or belongs to another user


def execute_in(folder, words, timeout_s):
    begin = time.monotonic()
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, errors="replace", start_new_session=True, env=os.environ | {"TMPDIR": folder})
    try:
        stdout, stderr = wait_for(process, timeout_s)
        status = process.returncode
    except subprocess.TimeoutExpired:
        stop(process)
        status, stdout, stderr = None, "", ""
    if status != 0:
        end_what_is_left(folder)
    return Run(status, stdout, stderr, time.monotonic() - begin)


def nodes_map(shape, ranks):
    """TUTTI_NODES for ranks of one machine presented as several nodes."""
    if shape == "block":
        return ",".join(str(rank // 2) for rank in range(ranks))
    if shape == "cyclic":
        return ",".join(str(rank % 2) for rank in range(ranks))
    # Node k has k + 1 ranks.
    nodes = [node for node in range(ranks) for _ in range(node + 1)]
    return ",".join(str(node) for node in nodes[:ranks])


def environment(program, options, ranks, shape):
    """shape: one of NODES_MAPS, or None for a native run."""
    env = {key: value.replace("{here}", str(HERE)) for key, value in program.env.items()
           if not (options.default_settings and key.startswith("TUTTI_"))}
    libraries = []
    if shape is not None:
        if options.preload is not None:
            libraries.append(str(options.preload))
        libraries += map(str, options.beside)
        env.update(options.env)
        if shape != "one":
            env["TUTTI_NODES"] = nodes_map(shape, ranks)
            # The network between them is memory, for which the built-in rules are not made.
            env.setdefault("TUTTI_LINKS", "slow")
    if program.nap and options.nap and not (options.in_front and shape is not None):
        libraries.append(str(options.nap))
    if inherited := os.environ.get("LD_PRELOAD"):  # of a shape of the zoo
        libraries.append(inherited)
    if libraries:
        env["LD_PRELOAD"] = ":".join(libraries)
    return env


def visible(program, text):
    if program.output == "any":
        return ""
    text = re.sub(program.mask, "*", text) if program.mask else text
    return "".join(sorted(text.splitlines(keepends=True))) if program.output == "sorted" else text


def status_fault(program, run, native):
    """The error in the exit status, or an empty string."""
    if run.status is None:
        return "timed out"
    if program.status == "zero":
        return "" if run.status == 0 else run.describe()
    if program.status in ("failure", "any_failure") and run.status == 0:
        return "status 0, but the program must fail"
    if program.status == "any_failure":
        return ""
    return "" if native is None or run.status == native.status else f"{run.describe()}, natively {native.describe()}"


def compare(program, native, preloaded):
    """The reasons why the preloaded run is not as good as the native one."""
    faults = []
    fault = status_fault(program, preloaded, native)
    if fault:
        faults.append(fault)
    if "cannot be preloaded" in preloaded.stderr:
        faults.append("the dynamic linker did not load the library")
    before = visible(program, native.stdout).splitlines()
    after = visible(program, preloaded.stdout).splitlines()
    if before != after:
        difference = list(difflib.unified_diff(before, after, "native", "preloaded", lineterm="", n=0))
        faults.append("output differs:\n    " + "\n    ".join(difference[:SHOWN_LINES]))
    return faults


def excerpt(run):
    lines = [line for line in (run.stdout + run.stderr).splitlines() if line.strip()]
    return "".join(f"\n    | {line}" for line in lines[:SHOWN_LINES])


def skip_reason(program, options, ranks, command):
    if options.in_front and program.actors == "no":
        return "not for ranks as threads"
    if options.mpi not in program.mpis:
        return f"not for {options.mpi}"
    if not program.least_ranks <= ranks <= program.most_ranks:
        return f"for {program.least_ranks} to {program.most_ranks} ranks"
    if program.hangs_with(options.mpi):
        return "does not end natively with this version"
    if program.opt_in and os.environ.get(program.opt_in) != "1":
        return f"{program.opt_in}=1 is not set"
    if command is None:
        return "not built" if not options.require_all else ""
    return ""


def judge_native(program, options, native):
    """A verdict for a program that is not compared with anything."""
    fault = status_fault(program, native, None)
    if fault and not program.has_native_defect(options.mpi):
        return "failed", f"natively: {fault}{excerpt(native)}"
    return ("skipped", f"native defect: {fault}") if fault else ("passed", f"{native.seconds:.2f} s")


def judge_preloaded(program, options, native, preloaded):
    if native is None:
        fault = status_fault(program, preloaded, None)
        if fault and program.has_native_defect(options.mpi):
            return "skipped", f"native defect: {fault}"
        return ("failed", fault + excerpt(preloaded)) if fault else ("passed", f"preloaded {preloaded.seconds:.2f} s")
    times = f"native {native.seconds:.2f} s, preloaded {preloaded.seconds:.2f} s"
    native_fault = status_fault(program, native, None)
    if native_fault:
        fault = status_fault(program, preloaded, None)
        return ("skipped", f"native defect: {native_fault}; preloaded: {fault}") if fault else ("passed", times + ", cured")
    faults = compare(program, native, preloaded)
    return ("failed", "; ".join(faults) + excerpt(preloaded)) if faults else ("passed", times)


def checked_itself(program, run):
    """Whether the program reports that all its checks passed: then a native run adds nothing."""
    return (program.status == "zero" and run.status == 0 and re.search(r"^\w+: [1-9]\d* checks, 0 failed$", run.stdout, re.M)
            and "cannot be preloaded" not in run.stderr)


def judge_refusal(run):
    """Expects a refusal at the call that names the function; or the MPI has none of the calls either."""
    if run.status == 0 and re.search(r": 0 checks, 0 failed$", run.stdout, re.M):
        return "passed", "makes no call"
    says = [line for line in run.stderr.splitlines() if line.startswith("tutti: ranks as threads do not have MPI")]
    warns = [line for line in run.stderr.splitlines() if line.startswith("tutti: the program or a library of it names MPI")]
    if run.status in (None, 0) or not says or len(warns) != 1:
        return "failed", f"not refused with the name of a call ({run.describe()}){excerpt(run)}"
    return "passed", f"refused in {run.seconds:.2f} s"


def is_tested(options):
    """Not only natively."""
    return options.preload is not None or options.in_front is not None


def judge(program, options, ranks):
    """Yields (shape, "passed" | "failed" | "skipped", text)."""
    command = program.command(options.mpi, options.programs)
    reason = skip_reason(program, options, ranks, command)
    if reason or command is None:
        yield "-", "skipped" if reason else "failed", reason or "not built"
        return
    command = command + program.arguments_for(ranks)

    def run(shape):
        env = environment(program, options, ranks, shape)
        in_front = [str(options.in_front)] if options.in_front and shape is not None else []
        return execute(launcher(options.mpi, ranks, env) + in_front + command, program.timeout_s)

    if options.in_front and program.actors == "refused":
        yield "-", *judge_refusal(run("one"))
        return

    shapes = options.nodes_map[:1] if program.one_shape else options.nodes_map
    preloaded = {}
    if options.native == "needed" and is_tested(options):
        preloaded = {shape: run(shape) for shape in shapes}
        if all(checked_itself(program, one) for one in preloaded.values()):
            yield from ((shape, "passed", f"preloaded {one.seconds:.2f} s") for shape, one in preloaded.items())
            return
    native = run(None) if program.native else None
    if native and status_fault(program, native, None) and not program.has_native_defect(options.mpi):
        native = run(None)  # a launcher on a busy machine may lose a rank that has ended well
    verdict = judge_native(program, options, native) if native else ("skipped", "not for native runs")
    if not is_tested(options) or verdict[0] == "failed":
        yield "-", *verdict
        return
    for shape in shapes:
        yield shape, *judge_preloaded(program, options, native, preloaded.get(shape) or run(shape))


def verdicts(work, options):
    """Yields (program, ranks, shape, verdict, text) in the order of work. A job mostly waits: for its launcher, for
    the processes that start, and for an aborted one to be noticed; several at a time use the cores better."""
    for alone, group in itertools.groupby(work, key=lambda item: item[0].alone):
        items = list(group)
        with ThreadPoolExecutor(1 if alone else options.jobs) as pool:
            results = pool.map(lambda item: list(judge(item[0], options, item[1])), items)
            for (program, ranks), findings in zip(items, results):
                for finding in findings:
                    yield program, ranks, *finding


def key_value(text):
    key, separator, value = text.partition("=")
    if not separator or not key:
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form NAME=VALUE")
    return key, value


def rank_list(text):
    try:
        ranks = [int(word) for word in text.split(",")]
    except ValueError:
        ranks = []
    if not ranks or min(ranks) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a list of rank counts such as 1,2,4")
    return ranks


def shape_list(text):
    shapes = text.split(",")
    for shape in shapes:
        if shape not in NODES_MAPS:
            raise argparse.ArgumentTypeError(f"'{shape}' is none of {', '.join(NODES_MAPS)}")
    return shapes


def positive(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive number")
    return int(text)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mpi", required=True, choices=MPIS)
    parser.add_argument("--preload", type=Path, metavar="LIB", help="the library to test; without it only native runs")
    parser.add_argument("--beside", type=Path, action="append", default=[], metavar="LIB",
                        help="another library to preload in these runs; may be repeated")
    parser.add_argument("--in-front", type=Path, metavar="PROGRAM", help="instead: a program that is started in place of each")
    parser.add_argument("--ranks", type=rank_list, default=[1, 2, 3, 4, 7, 8])
    parser.add_argument("--env", type=key_value, action="append", default=[], metavar="NAME=VALUE",
                        help="set in the preloaded runs only")
    parser.add_argument("--filter", default="", metavar="REGEX", help="programs whose name it matches")
    parser.add_argument("--nodes-map", type=shape_list, default=["one"], metavar="SHAPES",
                        help=f"how the ranks are presented as nodes, one run each: some of {','.join(NODES_MAPS)}")
    parser.add_argument("--programs", type=Path, action="append", required=True, metavar="DIR",
                        help="where the built programs are; may be repeated")
    parser.add_argument("--nap", type=Path, metavar="LIB", help="library that lets waiting ranks sleep, in both runs")
    parser.add_argument("--jobs", type=positive, default=4, help="programs that run at the same time (default: 4)")
    parser.add_argument("--native", choices=("always", "needed"), default="always",
                        help="needed: only where a preloaded run does not say by itself that all is well")
    parser.add_argument("--default-settings", action="store_true", help="without the settings of Tutti in programs.toml")
    parser.add_argument("--require-all", action="store_true", help="a program that was not built is a failure")
    options = parser.parse_args()
    options.env = dict(options.env)
    for library in (options.preload, options.nap, options.in_front, *options.beside):
        if library is not None and not library.is_file():
            parser.error(f"{library}: no such file")
    if options.preload is not None:
        options.preload = options.preload.resolve()
    options.beside = [library.resolve() for library in options.beside]
    if options.in_front is not None:
        options.in_front = options.in_front.resolve()
    if options.nap is not None:
        options.nap = options.nap.resolve()
    options.programs = [folder.resolve() for folder in options.programs]
    if shutil.which(launcher(options.mpi, 1, {})[0]) is None:
        parser.error(f"{launcher(options.mpi, 1, {})[0]}: not found; install {options.mpi}")
    return options


def main():
    options = parse_arguments()
    with open(HERE / "programs.toml", "rb") as stream:
        programs = [Program(**entry) for entry in tomllib.load(stream)["program"]]
    programs = [program for program in programs if re.search(options.filter, program.name)]
    lines = {"passed": [], "failed": [], "skipped": []}
    work = [(program, ranks) for ranks in options.ranks for program in programs]
    for program, ranks, shape, verdict, text in verdicts(work, options):
        lines[verdict].append(f"{verdict:7} {options.mpi} {ranks} {shape} {program.name}: {text}")
        print(lines[verdict][-1], flush=True)
    print(", ".join(f"{len(those)} {verdict}" for verdict, those in lines.items()))
    print("\n".join(lines["failed"]))  # again, so that they are at the end of the output
    if not lines["passed"] and not lines["failed"]:
        print("nothing was run", file=sys.stderr)
        return 1
    return 1 if lines["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
