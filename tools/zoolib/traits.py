"""Traits of machines: placement of ranks, connection, and what the operating system reports and forbids."""

import os
import shutil
import subprocess
from dataclasses import dataclass

from vclusterlib import cluster, compiled, kernel
from vclusterlib.errors import Unavailable

from . import seccomp

CPUS = sorted(os.sched_getaffinity(0))


class Trait:
    """A property of a machine. A trait may override any of these."""

    @property
    def kind(self):
        """A machine has at most one trait of a kind."""
        return type(self).__name__

    def require(self):
        """Raises Unavailable, with the reason, if this machine or user cannot have it."""

    def environment(self):
        """Variables of the command."""
        return {}

    def enter(self):
        """Applies the trait to this process, which then becomes the command."""

    def faults(self, ranks):
        """Parts of the trait that do not hold, from the ranks' observations (probe.facts()): a sentence each."""
        return []


def _need_processors(count):
    if len(CPUS) < count:
        raise Unavailable(f"there are {len(CPUS)} processors; {count} are needed")


@dataclass(frozen=True)
class Bound(Trait):
    """Each rank has its own core, as launchers bind by default."""

    ranks: int
    kind = "place"

    def require(self):
        _need_processors(self.ranks)

    def environment(self):
        return {"HYDRA_BINDING": "core", "OMPI_MCA_hwloc_base_binding_policy": "core",
                "OMPI_MCA_rmaps_base_mapping_policy": "core", "PRTE_MCA_hwloc_default_binding_policy": "core"}

    def faults(self, ranks):
        places = [tuple(rank["cpus"]) for rank in ranks]
        if len(set(places)) != len(places) or any(set(a) & set(b) for a in places for b in places if a != b):
            yield f"ranks have no cores of their own: {places}"


@dataclass(frozen=True)
class Unbound(Trait):
    """Ranks may run on every processor."""

    kind = "place"

    def environment(self):
        return {"HYDRA_BINDING": "none", "OMPI_MCA_hwloc_base_binding_policy": "none",
                "OMPI_MCA_rmaps_base_oversubscribe": "1", "PRTE_MCA_hwloc_default_binding_policy": "none",
                "PRTE_MCA_rmaps_default_mapping_policy": "slot:OVERSUBSCRIBE"}

    def faults(self, ranks):
        if any(rank["cpus"] != CPUS for rank in ranks):
            yield f"ranks are bound: {[rank['cpus'] for rank in ranks]}"


@dataclass(frozen=True)
class Sleeping(Trait):
    """Ranks that wait in the MPI release the processor, which is best for both MPIs if ranks share processors."""

    def environment(self):
        return {"LD_PRELOAD": compiled.locate("zoo_nap"), "OMPI_MCA_mpi_yield_when_idle": "1"}


@dataclass(frozen=True)
class Device(Trait):
    """CUDA's driver is loaded in each rank, and the MPI reports support for device memory."""

    def environment(self):
        return {"LD_PRELOAD": compiled.locate("zoo_device", called="libcuda.so")}

    def faults(self, ranks):
        if not all(rank["takes_device_memory"] for rank in ranks):
            yield "no driver of CUDA is loaded, or the MPI takes no device memory"


@dataclass(frozen=True)
class Nodes(Trait):
    """Ranks of this machine are presented as several nodes: memory is their network."""

    nodes: tuple

    def environment(self):
        return {"TUTTI_NODES": ",".join(map(str, self.nodes))}

    def faults(self, ranks):
        expected = self.environment()["TUTTI_NODES"]
        if any(rank["nodes"] != expected for rank in ranks):
            yield f"TUTTI_NODES is not {expected}"


@dataclass(frozen=True)
class Links(Trait):
    """A virtual cluster: nodes connected by links with a rate (none: unlimited)."""

    nodes: int
    ranks_per_node: int
    rate: str

    def require(self):
        cluster.require_privileges()

    def words(self):
        """The command that creates the cluster, runs the following command on it, and removes it."""
        tool = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "vcluster")
        return [tool, "with", str(self.nodes), "--rate", self.rate, "--ppn", str(self.ranks_per_node), "--"]

    def faults(self, ranks):
        hosts = {rank["host"] for rank in ranks}
        if len(hosts) != self.nodes:
            yield f"{self.nodes} nodes were asked for, the ranks are on {sorted(hosts)}"
        rates = {(rank["rate"] or "none").lower() for rank in ranks}
        if rates != {self.rate.lower()}:
            yield f"links have the rates {sorted(rates)} instead of {self.rate}"


@dataclass(frozen=True)
class OneProcessor(Unbound):
    """All ranks may use one processor, the same one."""

    def enter(self):
        os.sched_setaffinity(0, CPUS[:1])

    def faults(self, ranks):
        if any(rank["cpus"] != CPUS[:1] for rank in ranks):
            yield f"ranks may use {[rank['cpus'] for rank in ranks]}"


@dataclass(frozen=True)
class Threads(Trait):
    """Each rank has this many threads that compute alternately, as in a program with OpenMP."""

    count: int

    def environment(self):
        return {"LD_PRELOAD": compiled.locate("zoo_threads"), "OMP_NUM_THREADS": str(self.count)}

    def faults(self, ranks):
        if any(rank["threads"] != self.count for rank in ranks):
            yield f"ranks have {[rank['threads'] for rank in ranks]} threads"


@dataclass(frozen=True)
class Refused(Trait):
    """System calls that fail with EPERM, as in a container."""

    calls: tuple
    told: tuple = ()  # variables for the MPIs, which do not detect the refusal themselves

    @property
    def kind(self):
        return self.calls

    def require(self):
        if reason := seccomp.unavailable():
            raise Unavailable(reason)

    def environment(self):
        return dict(self.told)

    def enter(self):
        seccomp.refuse(self.calls)

    def faults(self, ranks):
        for call in self.calls:
            if not all(rank.get(f"refuses_{call}", True) for rank in ranks):
                yield f"{call} is not refused"


@dataclass(frozen=True)
class SharedMemory(Trait):
    """/dev/shm has this many bytes."""

    size: int
    told: tuple = ()  # as above

    def require(self):
        if os.geteuid() != 0:
            raise Unavailable("a /dev/shm of its own needs root")

    def environment(self):
        return dict(self.told)

    def enter(self):
        kernel.unshare(kernel.CLONE_NEWNS)
        kernel.mount(None, "/", flags=kernel.MS_REC | kernel.MS_SLAVE)
        kernel.mount("tmpfs", "/dev/shm", "tmpfs", options=f"size={self.size},mode=1777")

    def faults(self, ranks):
        if any(rank["shm_bytes"] != self.size for rank in ranks):
            yield f"/dev/shm has {ranks[0]['shm_bytes']} bytes"


@dataclass(frozen=True)
class HwlocMachine(Trait):
    """hwloc reports another machine: from HWLOC_SYNTHETIC, or from a file that is marked as this system."""

    description: str
    cores: int
    from_file: bool = False

    def require(self):
        if self.from_file and shutil.which("lstopo-no-graphics") is None:
            raise Unavailable("'lstopo-no-graphics' is not installed (apt-get install hwloc-nox)")

    def environment(self):
        if not self.from_file:
            return {"HWLOC_SYNTHETIC": self.description}
        return {"HWLOC_XMLFILE": self._file(), "HWLOC_THISSYSTEM": "1"}

    def _file(self):
        def make(path):
            subprocess.run(["lstopo-no-graphics", "--input", self.description, "--of", "xml", "--force", path], check=True)
        return compiled.kept(f"hwloc-{self.cores}", self.description.encode(), ".xml", make)

    def faults(self, ranks):
        if any(rank["cores"] not in (self.cores, None) for rank in ranks):
            yield f"hwloc tells of {[rank['cores'] for rank in ranks]} cores"
