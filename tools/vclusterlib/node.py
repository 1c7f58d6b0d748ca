"""Makes a process in new namespaces appear to run on a separate machine."""

import os
import socket
import uuid

from . import kernel
from .cluster import JOB_DIRECTORY

NODE_NAMESPACES = kernel.CLONE_NEWNS | kernel.CLONE_NEWUTS | kernel.CLONE_NEWIPC

_SHARED_MEMORY_SIZE = "512m"  # an upper limit; a tmpfs takes what is written to it
_JOB_SIZE = "64m"
_CGROUPS = "/sys/fs/cgroup"


def make_job_directory(cluster, shim):
    """Fills the job's tmpfs, which head and nodes share like a network file system.

    hosts               /etc/hosts of every machine of the cluster
    etc/                the nodes' /etc: links to the real one, except for hosts and ld.so.preload
    session/            session directories of Open MPI, removed with the job
    boot_id.HOST        its boot id
    cpus.NODE           its processors, as a list for taskset
    """
    kernel.mount("tmpfs", JOB_DIRECTORY, "tmpfs", options=f"size={_JOB_SIZE},mode=0755")
    addresses = {host: cluster.subnet.node(i) for i, host in enumerate(cluster.node_names)}
    addresses[cluster.head_name] = cluster.subnet.head
    lines = ["127.0.0.1 localhost"] + [f"{a} {host}" for host, a in addresses.items()]
    _write("hosts", "\n".join(lines) + "\n")
    os.makedirs(f"{JOB_DIRECTORY}/session", mode=0o1777)
    for host in addresses:
        _write(f"boot_id.{host}", f"{uuid.uuid4()}\n")
    for host, cpus in zip(cluster.node_names, _cpus_of_nodes(cluster.node_count)):
        _write(f"cpus.{host}", ",".join(map(str, cpus)) + "\n")
    _make_etc(shim)


def dress(host, etc):
    """Gives the caller, already in its own namespaces, the file systems and name of a machine.

    etc: path to mount over /etc, or None to replace /etc/hosts only.
    """
    kernel.mount("proc", "/proc", "proc")
    # UCX assumes that processes with the same boot id run on the same machine.
    kernel.mount(f"{JOB_DIRECTORY}/boot_id.{host}", "/proc/sys/kernel/random/boot_id",
                 flags=kernel.MS_BIND)
    kernel.mount("tmpfs", "/dev/shm", "tmpfs", options=f"size={_SHARED_MEMORY_SIZE},mode=1777")
    if etc is None:
        kernel.mount(f"{JOB_DIRECTORY}/hosts", "/etc/hosts", flags=kernel.MS_BIND)
    else:
        kernel.mount(etc, "/etc", flags=kernel.MS_BIND)
    _mount_sysfs()
    socket.sethostname(host)


def _cpus_of_nodes(node_count):
    """The processors of each node: separate ones if there are enough for all nodes; otherwise all nodes share all."""
    usable = sorted(os.sched_getaffinity(0))
    each = len(usable) // node_count
    if each == 0:
        return [usable] * node_count
    return [usable[i * each:(i + 1) * each] for i in range(node_count)]


def _mount_sysfs():
    """UCX enumerates /sys/class/net: it must show the devices of this network namespace."""
    aside = f"{JOB_DIRECTORY}/cgroup"
    keep_cgroups = os.path.ismount(_CGROUPS)
    if keep_cgroups:
        os.makedirs(aside, exist_ok=True)
        kernel.mount(_CGROUPS, aside, flags=kernel.MS_BIND | kernel.MS_REC)
    kernel.mount("sysfs", "/sys", "sysfs")
    if keep_cgroups:
        kernel.mount(aside, _CGROUPS, flags=kernel.MS_MOVE)


def _make_etc(shim):
    """The shim is preloaded by ld.so.preload, not LD_PRELOAD: it then works with every LD_PRELOAD
    that a launcher or a tool sets for the ranks, and affects only the nodes' processes.

    The file does not exist on most systems, so it cannot be the target of a bind mount; a directory of
    links, bound over the whole of /etc, needs no change on the host.
    """
    etc, real = f"{JOB_DIRECTORY}/etc", f"{JOB_DIRECTORY}/etc.real"
    os.makedirs(etc)
    os.makedirs(real)
    kernel.mount("/etc", real, flags=kernel.MS_BIND | kernel.MS_REC)
    preloaded = shim + "\n"
    for entry in os.listdir("/etc"):
        if entry == "ld.so.preload":
            with open("/etc/ld.so.preload", encoding="utf-8") as host_file:
                preloaded = host_file.read().rstrip("\n") + "\n" + preloaded
        elif entry == "hosts":
            os.symlink(f"{JOB_DIRECTORY}/hosts", f"{etc}/hosts")
        else:
            os.symlink(f"{real}/{entry}", f"{etc}/{entry}")
    _write("etc/ld.so.preload", preloaded)


def _write(name, text):
    with open(f"{JOB_DIRECTORY}/{name}", "w", encoding="utf-8") as file:
        file.write(text)
