"""The table of shapes, and the joining of several."""

from dataclasses import dataclass

from vclusterlib.errors import UsageError

from .limits import Descriptors, Quota
from .traits import (Bound, Device, HwlocMachine, Links, Nodes, OneProcessor, Refused, SharedMemory, Sleeping, Threads, Unbound)


@dataclass(frozen=True)
class Shape:
    """One machine. `ranks` is the number of ranks that it is made for; Nodes and Links accept no other number."""

    name: str
    summary: str
    ranks: int
    traits: tuple
    is_timed: bool = False  # bench/zoo.py measures in it: times are meaningful

    def trait(self, kind):
        """Its trait of a kind, or None."""
        return next((trait for trait in self.traits if isinstance(trait, kind)), None)

    def require(self):
        """Raises Unavailable, with the reason, if this machine or user cannot have it."""
        for trait in self.traits:
            trait.require()

    def environment(self):
        """Variables of the command. Several libraries are preloaded together."""
        variables = {}
        for trait in self.traits:
            for name, value in trait.environment().items():
                joined = name == "LD_PRELOAD" and name in variables
                variables[name] = f"{variables[name]}:{value}" if joined else value
        return variables

    def faults(self, ranks):
        """Properties that do not hold, from the facts of all ranks."""
        return [fault for trait in self.traits for fault in trait.faults(ranks)]


def _links(rate):
    return (Links(4, 2, rate),)


def _spread(nodes):
    """One rank on each node."""
    return (Unbound(), Nodes(tuple(range(nodes))), Sleeping())


# Without CMA UCX sends long messages over TCP, after which MPICH 4.0 may hang in MPI_Finalize
# (docs/howto/virtual-cluster.md); Open MPI treats the refusal as an error.
_NO_CMA = Refused(("process_vm_readv", "process_vm_writev"),
                  (("UCX_TLS", "^tcp"), ("OMPI_MCA_btl_vader_single_copy_mechanism", "none")))
# MPICH does not start if UCX finds no space there.
_SMALL_SHM = SharedMemory(1 << 20, (("UCX_TLS", "^posix"),))

SHAPES = {shape.name: shape for shape in (
    # Placement of ranks.
    Shape("bound", "each rank has a core of its own", 2, (Bound(2),), is_timed=True),
    Shape("unbound", "ranks may run on every processor, one for each", 2, (Unbound(),), is_timed=True),
    Shape("shared", "four ranks share the processors, and sleep while they wait", 4, (Unbound(), Sleeping()), is_timed=True),
    Shape("one_processor", "all ranks may use one processor, the same one", 2, (OneProcessor(), Sleeping()), is_timed=True),
    Shape("quota", "all ranks together have the time of one processor, by a cgroup's quota", 2, (Unbound(), Quota(1), Sleeping()),
          is_timed=True),
    Shape("threads", "one rank with four threads on each of two nodes", 2,
          (Unbound(), Nodes((0, 1)), Threads(4), Sleeping()), is_timed=True),
    # Connection of nodes.
    Shape("memory", "two nodes whose network is memory, ranks bound", 2, (Bound(2), Nodes((0, 1))), is_timed=True),
    Shape("link_100mbit", "4 nodes × 2 ranks, links of 100 Mbit/s", 8, _links("100Mbit"), is_timed=True),
    Shape("link_1gbit", "4 nodes × 2 ranks, links of 1 Gbit/s", 8, _links("1Gbit"), is_timed=True),
    Shape("link_10gbit", "4 nodes × 2 ranks, links of 10 Gbit/s", 8, _links("10Gbit"), is_timed=True),
    Shape("link_unshaped", "4 nodes × 2 ranks, links as fast as the machine is", 8, _links("none"), is_timed=True),
    # Number of nodes.
    Shape("nodes1", "one node of 8 ranks", 8, (Unbound(), Sleeping())),
    Shape("nodes4", "4 nodes × 2 ranks, their network is memory", 8, (Unbound(), Nodes((0, 0, 1, 1, 2, 2, 3, 3)), Sleeping()),
          is_timed=True),
    Shape("nodes_uneven", "nodes of 3, 1 and 2 ranks, dealt out by turns", 6, (Unbound(), Nodes((0, 1, 2, 0, 2, 0)), Sleeping())),
    Shape("nodes17", "17 nodes of one rank", 17, _spread(17)),
    Shape("nodes64", "64 nodes of one rank", 64, _spread(64)),
    # Output of hwloc.
    Shape("cores64", "hwloc tells of 64 cores with two threads each, which are not this system's", 4,
          (Unbound(), Sleeping(), HwlocMachine("pack:2 numa:4 core:8 pu:2", 64))),
    Shape("cores64_file", "hwloc reads of 64 cores in a file, as of this system", 4,
          (Unbound(), Sleeping(), HwlocMachine("pack:2 numa:4 core:8 pu:2", 64, from_file=True))),
    # Devices.
    Shape("device", "CUDA's driver is loaded, and the MPI takes device memory", 2, (Bound(2), Nodes((0, 1)), Device()),
          is_timed=True),
    # Restrictions of the operating system.
    Shape("no_cma", "processes may not read each other's memory (CMA)", 2, (Unbound(), _NO_CMA), is_timed=True),
    Shape("no_unshare", "unshare is refused, as in a container", 4, (Unbound(), Sleeping(), Refused(("unshare",)))),
    Shape("small_shm", "/dev/shm has 1 MiB", 4, (Unbound(), Sleeping(), _SMALL_SHM)),
    Shape("descriptors64", "a process may open 64 files", 2, (Unbound(), Descriptors(64))),
    Shape("descriptors44", "a process may open 44 files", 2, (Unbound(), Descriptors(44))),
)}


def shape_of(text):
    """A shape by name, or several joined, as in link_1gbit+descriptors64: ranks and nodes are those of the first."""
    names = text.split("+")
    for name in names:
        if name not in SHAPES:
            raise UsageError(f"there is no shape '{name}' (`tools/zoo list` names them)")
    parts = [SHAPES[name] for name in names]
    if len(parts) == 1:
        return parts[0]
    traits = []
    for part in parts:
        traits += [trait for trait in part.traits if trait.kind not in {other.kind for other in traits}]
    if any(isinstance(trait, Links) for trait in traits):
        # The cluster determines binding, preloads and connection of its nodes.
        traits = [trait for trait in traits if not isinstance(trait, (Bound, Unbound, Sleeping, Nodes))]
    return Shape(text, "; ".join(part.summary for part in parts), parts[0].ranks, tuple(traits))
