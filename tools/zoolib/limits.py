"""Traits that are limits of the operating system: CPU time and descriptors."""

import contextlib
import os
import resource
import signal
import time
from dataclasses import dataclass

from vclusterlib import kernel
from vclusterlib.errors import Unavailable

from .traits import Trait

_PERIOD_US = 100_000
_V1 = "/sys/fs/cgroup/cpu"
_V2 = "/sys/fs/cgroup"
_LEAVE_S = 5


@dataclass(frozen=True)
class Descriptors(Trait):
    """Limits the number of open files of a process."""

    count: int

    def enter(self):
        resource.setrlimit(resource.RLIMIT_NOFILE, (self.count, self.count))

    def faults(self, ranks):
        if any(tuple(rank["descriptors"]) != (self.count, self.count) for rank in ranks):
            yield f"ranks may open {[rank['descriptors'] for rank in ranks]} files"


@dataclass(frozen=True)
class Quota(Trait):
    """A cgroup quota: all ranks together get the CPU time of `cpus` processors, though they may run on all."""

    cpus: int

    def require(self):
        with self.group():
            pass

    @contextlib.contextmanager
    def group(self):
        """Yields the folder of a cgroup with the quota, whose remaining processes end on exit. Raises Unavailable."""
        parent, settings = _controller(self.cpus)
        folder = f"{parent}/tutti-zoo-{os.getpid()}"
        try:
            os.mkdir(folder)
        except OSError as error:
            raise _unavailable(error) from None
        try:
            try:
                for name, text in settings.items():
                    _write(f"{folder}/{name}", text)
            except OSError as error:
                raise _unavailable(error) from None
            yield folder
        finally:
            _remove(folder)

    def faults(self, ranks):
        if any(rank["quota"] != self.cpus for rank in ranks):
            yield f"ranks have quotas of {[rank['quota'] for rank in ranks]} processors"


def join(folder):
    """Adds this process and its future children to the cgroup."""
    _write(f"{folder}/cgroup.procs", str(os.getpid()))


def _unavailable(error):
    return Unavailable(f"no cgroup with a quota can be made here ({error.strerror}); the shape one_processor is near to it")


def _controller(cpus):
    """The folder in which cgroups with quotas can be created, and the contents of their files: {file: text}."""
    if os.path.exists(f"{_V1}/cgroup.procs"):
        return _V1, {"cpu.cfs_period_us": str(_PERIOD_US), "cpu.cfs_quota_us": str(cpus * _PERIOD_US)}
    try:
        with open(f"{_V2}/cgroup.subtree_control", encoding="ascii") as file:
            has_cpu = "cpu" in file.read().split()
        if not has_cpu:
            _write(f"{_V2}/cgroup.subtree_control", "+cpu")
    except OSError as error:
        raise _unavailable(error) from None
    return _V2, {"cpu.max": f"{cpus * _PERIOD_US} {_PERIOD_US}"}


def _write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def _remove(folder):
    """Ends the processes in the group, which were started here, and removes it."""
    deadline = time.monotonic() + _LEAVE_S
    while True:
        with open(f"{folder}/cgroup.procs", encoding="ascii") as file:
            for pid in file.read().split():
                kernel.kill_quietly(int(pid), signal.SIGKILL)
        try:
            os.rmdir(folder)
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
