"""State that persists between commands: a cluster's keeper, its network and its record under /run."""

import contextlib
import fcntl
import ipaddress
import json
import os
import re
import shutil
import signal
import time
from dataclasses import asdict, dataclass, field

from . import kernel, network
from .errors import Unavailable, UsageError, VclusterError
from .keeper import Keeper

STATE_ROOT = "/run/tutti-vcluster"
# Mount point of a job's own tmpfs. Every job mounts it in its own mount namespace, so all clusters share one fixed
# path and the host never sees its contents.
JOB_DIRECTORY = f"{STATE_ROOT}/job"

DEFAULT_NAME = "tutti"
MAX_NODES = 64
_NAME = re.compile(r"[a-z][a-z0-9-]{0,23}")
_RESERVED_NAMES = ("job", "lock")
_SUBNETS = ipaddress.ip_network("10.77.0.0/16")
_SETTLE_SECONDS = 5


@dataclass(frozen=True)
class Subnet:
    """A separate /24 network for each cluster."""

    index: int
    prefix_length: int = 24

    @property
    def cidr(self):
        return f"{self._address(0)}/{self.prefix_length}"

    @property
    def head(self):
        return str(self._address(254))

    def node(self, node):
        return str(self._address(node + 1))

    def _address(self, host):
        return _SUBNETS.network_address + 256 * self.index + host


@dataclass
class Cluster:
    """One virtual cluster. Its record, cluster.json, has all of its members."""

    name: str
    node_count: int
    rate: str
    subnet_index: int
    keeper_pid: int
    keeper_started: int
    namespaces: list = field(default_factory=list)

    @property
    def subnet(self):
        return Subnet(self.subnet_index)

    @property
    def head_name(self):
        return f"{self.name}-head"

    @property
    def node_names(self):
        return [f"{self.name}-n{i}" for i in range(self.node_count)]

    @property
    def directory(self):
        return f"{STATE_ROOT}/{self.name}"

    def is_alive(self):
        return kernel.is_alive(self.keeper_pid, self.keeper_started)

    def jobs(self):
        """(pid, start time) of process 1 of each registered job."""
        with contextlib.suppress(FileNotFoundError):
            names = (entry.split("-") for entry in os.listdir(f"{self.directory}/jobs"))
            return [(int(pid), int(started)) for pid, started in names]
        return []

    def live_jobs(self):
        return [job for job in self.jobs() if kernel.is_alive(*job)]

    def register_job(self, pid):
        """Records process 1 of a job so that `down` finds it. Returns the function that removes the record."""
        path = f"{self.directory}/jobs/{pid}-{kernel.start_time(pid)}"
        with open(path, "x", encoding="ascii"):
            pass

        def forget():
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)

        return forget

    def save(self):
        """Writes the record atomically: readers see the old one or the new one."""
        os.makedirs(f"{self.directory}/jobs", exist_ok=True)
        temporary = f"{self.directory}/cluster.json.new"
        with open(temporary, "w", encoding="ascii") as record:
            json.dump(asdict(self), record, indent=1)
        os.replace(temporary, f"{self.directory}/cluster.json")

    def destroy(self):
        """Kills jobs and keeper, waits until they have ended and removes the record."""
        doomed = [*self.live_jobs(), (self.keeper_pid, self.keeper_started)]
        for pid, started in doomed:
            if kernel.is_alive(pid, started):
                kernel.kill_quietly(pid)
        deadline = time.monotonic() + _SETTLE_SECONDS
        while any(kernel.is_alive(*process) for process in doomed):
            if time.monotonic() > deadline:
                raise VclusterError(f"processes of cluster '{self.name}' do not end: {doomed}")
            time.sleep(0.01)
        shutil.rmtree(self.directory, ignore_errors=True)


def check_name(name):
    """Checks the name, which becomes part of host names and a directory."""
    if not _NAME.fullmatch(name) or name in _RESERVED_NAMES:
        raise UsageError(f"'{name}' cannot name a cluster (lower-case letters, digits, '-'; "
                         "at most 24; starts with a letter; not 'job' or 'lock')")
    return name


def require_privileges():
    """Raises Unavailable unless this process may create namespaces and the tools are installed."""
    if os.geteuid() != 0:
        raise Unavailable("the virtual cluster needs root (network, mount and pid namespaces)")
    network.require_tools()
    pid = os.fork()
    if pid == 0:
        try:
            kernel.unshare(kernel.CLONE_NEWNET | kernel.CLONE_NEWNS | kernel.CLONE_NEWUTS
                           | kernel.CLONE_NEWIPC | kernel.CLONE_NEWPID)
            kernel.mount(None, "/", None, kernel.MS_REC | kernel.MS_SLAVE)
            os._exit(0)
        except OSError:
            os._exit(1)
    if os.waitpid(pid, 0)[1] != 0:
        raise Unavailable("this system does not let root make namespaces "
                          "(a container needs --privileged)")


@contextlib.contextmanager
def locked():
    """Serialises all code that reads records and acts on them."""
    fd = _acquire_lock()
    try:
        yield
    finally:
        with signals_held():
            _remove_root_if_unused()
            # A forked child may still have the descriptor, so closing it would not release the lock.
            fcntl.flock(fd, fcntl.LOCK_UN)
            os.close(fd)


def _acquire_lock():
    path = f"{STATE_ROOT}/lock"
    while True:
        os.makedirs(STATE_ROOT, mode=0o755, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):  # the last user has removed it meanwhile
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(fd, fcntl.LOCK_EX)
            if os.path.exists(path) and os.path.samestat(os.fstat(fd), os.stat(path)):
                os.makedirs(JOB_DIRECTORY, mode=0o755, exist_ok=True)
                return fd
            os.close(fd)


def _remove_root_if_unused():
    if set(os.listdir(STATE_ROOT)) == set(_RESERVED_NAMES):
        os.rmdir(JOB_DIRECTORY)
        os.unlink(f"{STATE_ROOT}/lock")
        os.rmdir(STATE_ROOT)


def clusters():
    """All recorded clusters, including dead ones. Call with the lock held."""
    found = []
    for name in sorted(os.listdir(STATE_ROOT)):
        with contextlib.suppress(OSError, ValueError, TypeError):
            with open(f"{STATE_ROOT}/{name}/cluster.json", encoding="ascii") as record:
                found.append(Cluster(**json.load(record)))
    return found


def find(name):
    """The live cluster of that name. Call with the lock held."""
    for cluster in clusters():
        if cluster.name == name:
            if not cluster.is_alive():
                raise VclusterError(f"cluster '{name}' has crashed (start it again with: "
                                    f"vcluster up {cluster.node_count} --name {name})")
            return cluster
    raise VclusterError(f"there is no cluster '{name}' (start it with: vcluster up 4 --name {name})")


def create(name, node_count, rate, ephemeral=False):
    """Creates a cluster completely or not at all. ephemeral: it ends with this process."""
    with locked():
        for other in clusters():
            if not other.is_alive():
                other.destroy()
            elif other.name == name:
                raise VclusterError(f"cluster '{name}' is already up "
                                    f"(end it with: vcluster down --name {name})")
        cluster = None
        try:
            keeper = Keeper(f"tutti-vcluster:{name}", node_count, ephemeral)
            cluster = Cluster(name, node_count, rate, _free_subnet(), keeper.pid,
                              kernel.start_time(keeper.pid), keeper.namespaces)
            network.build(cluster.namespaces, cluster.subnet, rate)
            cluster.save()
            keeper.release()
        except BaseException:
            if cluster is not None:
                with signals_held():
                    cluster.destroy()
            raise
        return cluster


def destroy(name, missing_ok=False):
    """Removes a cluster in any state."""
    with locked():
        for cluster in clusters():
            if cluster.name == name:
                cluster.destroy()
                return
    if not missing_ok:
        raise VclusterError(f"there is no cluster '{name}'")


@contextlib.contextmanager
def signals_held():
    """Blocks signals during cleanup; they are delivered afterwards."""
    caught = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, caught)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _free_subnet():
    taken = {cluster.subnet_index for cluster in clusters()}
    return next(index for index in range(256) if index not in taken)
