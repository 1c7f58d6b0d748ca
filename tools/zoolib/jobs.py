"""MPI jobs in a shape, for tests and benchmarks."""

import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

from vclusterlib import launch

_TOOL = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "zoo")
_AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
_SHOWN_LINES = 6
_GRACE_S = 10
_PROBE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "probe.py")
_PROBE_LIMIT_S = 120


def environment_in(shape):
    """The environment of a command in the shape: the caller's, with the shape's variables. Its preloads come first."""
    variables = shape.environment()
    if inherited := os.environ.get("LD_PRELOAD"):
        variables["LD_PRELOAD"] = ":".join(filter(None, (variables.get("LD_PRELOAD"), inherited)))
    return {**_AS_ROOT, **os.environ, **variables}


@dataclass
class Ended:
    """The result of a run."""

    status: int | None  # None: it timed out
    stdout: str
    stderr: str
    seconds: float
    cpu_seconds: float  # of the launcher and of all its reaped children

    def said(self):
        """A short description."""
        return ("timed out" if self.status is None else f"status {self.status}") + f" in {self.seconds:.1f} s"

    def lines(self, mask=""):
        """The lines printed by all ranks, sorted, without the matches of the regular expression."""
        return sorted((re.sub(mask, "", self.stdout) if mask else self.stdout).splitlines())

    def last(self):
        """The last lines of stdout and stderr."""
        return [*self.stdout.splitlines()[-_SHOWN_LINES:], *self.stderr.splitlines()[-_SHOWN_LINES:]]


@dataclass
class Job:
    """Programs of one MPI in a shape, with a number of ranks."""

    shape: object
    mpi: str
    ranks: int

    def words(self, program, under=()):
        """The command line; `under` precedes the launcher, like `tutti run --`."""
        return [str(word) for word in
                (_TOOL, "run", self.shape.name, "--", *under, *launch.mpirun(self.mpi, self.ranks, {}, program))]

    def run(self, program, limit_s, under=(), settings=None):
        """Runs a program. Its remaining processes are ended after `limit_s`."""
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        with tempfile.TemporaryDirectory(prefix="tutti-zoo-", ignore_cleanup_errors=True) as folder:
            # Jobs of Open MPI that begin and end at the same time remove each other's session folder.
            environment = {**os.environ, **(settings or {}), "TMPDIR": folder}
            with subprocess.Popen(self.words(program, under), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, errors="replace", env=environment,
                                  start_new_session=True) as process:
                status, stdout, stderr = _wait(process, limit_s)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return Ended(status, stdout, stderr, time.monotonic() - begin, cpu)


def faults_of(shape, mpi):
    """Properties of the shape that do not hold for ranks of this MPI, as they observe them: a sentence each."""
    with tempfile.TemporaryDirectory(prefix="tutti-zoo-") as folder:
        ended = Job(shape, mpi, shape.ranks).run([sys.executable, "-B", _PROBE, folder], _PROBE_LIMIT_S)
        ranks = [json.loads(file.read_text()) for file in sorted(pathlib.Path(folder).glob("*.json"))]
    if len(ranks) != shape.ranks or ended.status != 0:
        return [f"{len(ranks)} of {shape.ranks} ranks answered ({ended.said()})", *ended.last()]
    return shape.faults(ranks)


def _wait(process, limit_s):
    try:
        stdout, stderr = process.communicate(timeout=limit_s)
        return process.returncode, stdout, stderr
    except subprocess.TimeoutExpired:
        # A launcher that gets SIGTERM ends its ranks, and the virtual cluster removes itself.
        for number in (signal.SIGTERM, signal.SIGKILL):
            os.killpg(process.pid, number)
            try:
                stdout, stderr = process.communicate(timeout=_GRACE_S)
                return None, stdout, stderr
            except subprocess.TimeoutExpired:
                continue
        return None, "", ""

