"""How the two MPIs learn of the nodes: environment for plain `mpirun`, and its command line."""

import re
import shutil
import subprocess
from dataclasses import dataclass

from .cluster import JOB_DIRECTORY
from .errors import Unavailable, UsageError
from .job import AGENT
from .network import NODE_DEVICE

_HYDRA_HOSTS = "hosts.mpich"
_OPENMPI_HOSTS = "hosts.openmpi"
DEFAULT_NAP = "20,20"


@dataclass(frozen=True)
class Mpi:
    """One supported MPI."""

    library: str       # a library that its programs are linked with
    launchers: tuple   # names of its mpirun, the most specific first
    environment_option: tuple  # gives ranks one environment variable: (option, format)
    package: str


MPIS = {
    "mpich": Mpi("libmpich.so", ("mpirun.mpich", "mpiexec.mpich", "mpiexec.hydra"), ("-genv",),
                 "mpich"),
    "openmpi": Mpi("libmpi.so.40", ("mpirun.openmpi", "mpiexec.openmpi", "orterun"), ("-x",),
                   "openmpi-bin"),
}


def host_files(cluster, ranks_per_node):
    """The nodes with their slots, in each launcher's notation."""
    return {
        _HYDRA_HOSTS: "".join(f"{host}:{ranks_per_node}\n" for host in cluster.node_names),
        _OPENMPI_HOSTS: "".join(f"{host} slots={ranks_per_node}\n" for host in cluster.node_names),
    }


def environment(caller, cluster, ranks_per_node, nap):
    """The caller's environment, extended so that a plain mpirun of either MPI uses the nodes.

    The caller's tuning takes precedence over _TUNING, but not over the wiring. LD_PRELOAD is dropped: it would be
    preloaded into launchers and their daemons, but the user means the ranks.
    """
    settings = {**_TUNING, **caller, **_wiring(cluster)}
    settings.pop("LD_PRELOAD", None)
    settings.update({
        "VCLUSTER_NAME": cluster.name,
        "VCLUSTER_NODES": str(cluster.node_count),
        "VCLUSTER_PPN": str(ranks_per_node),
        "VCLUSTER_HOSTS": ",".join(f"{host}:{ranks_per_node}" for host in cluster.node_names),
        "VCLUSTER_NAP": nap,
    })
    return settings


def mpirun(mpi_name, rank_count, rank_environment, program):
    """Command line that starts a program on the nodes, given environment() around it."""
    mpi = MPIS[mpi_name]
    command = [_launcher(mpi), "-n", str(rank_count)]
    for key, value in rank_environment.items():
        assignment = [key, value] if mpi_name == "mpich" else [f"{key}={value}"]
        command += [*mpi.environment_option, *assignment]
    return command + list(program)


def detect_mpi(program):
    """Which MPI a dynamically linked program was built with."""
    path = shutil.which(program)
    if path is None:
        raise UsageError(f"program '{program}' is not there or not executable")
    listing = subprocess.run(["ldd", path], capture_output=True, text=True, check=False).stdout
    for name, mpi in MPIS.items():
        if re.search(re.escape(mpi.library), listing):
            return name
    raise UsageError(f"cannot tell which MPI '{program}' uses (say --mpi mpich or --mpi openmpi)")


def _launcher(mpi):
    for name in mpi.launchers:
        if shutil.which(name):
            return name
    raise Unavailable(f"'{mpi.launchers[0]}' is not installed (apt-get install {mpi.package})")


def _wiring(cluster):
    """Addresses of the nodes and the access to them."""
    return {
        "HYDRA_LAUNCHER": "ssh",
        "HYDRA_LAUNCHER_EXEC": AGENT,
        "HYDRA_HOST_FILE": f"{JOB_DIRECTORY}/{_HYDRA_HOSTS}",
        "UCX_NET_DEVICES": NODE_DEVICE,
        "OMPI_MCA_plm_rsh_agent": AGENT,
        "OMPI_MCA_plm_rsh_no_tree_spawn": "1",
        "OMPI_MCA_orte_default_hostfile": f"{JOB_DIRECTORY}/{_OPENMPI_HOSTS}",
        "OMPI_MCA_orte_tmpdir_base": f"{JOB_DIRECTORY}/session",
        "OMPI_MCA_btl_tcp_if_include": cluster.subnet.cidr,
        "OMPI_MCA_oob_tcp_if_include": cluster.subnet.cidr,
        # The same settings for PRRTE, the launcher of Open MPI 5.
        "PRTE_MCA_plm_ssh_agent": AGENT,
        "PRTE_MCA_plm_ssh_no_tree_spawn": "1",
        "PRTE_MCA_prte_default_hostfile": f"{JOB_DIRECTORY}/{_OPENMPI_HOSTS}",
        "PRTE_MCA_prte_tmpdir_base": f"{JOB_DIRECTORY}/session",
        "PRTE_MCA_prte_if_include": cluster.subnet.cidr,
    }


# More ranks than cores, and no binding: bound ranks of all nodes would share the first cores.
_TUNING = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_mapping_policy": "slot",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "PRTE_MCA_rmaps_default_mapping_policy": "slot:OVERSUBSCRIBE",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_btl": "tcp,self,vader",
}
