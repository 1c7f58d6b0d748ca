#!/usr/bin/env python3
"""What one rank sees of the machine. A launcher starts it as the program of every rank.

    probe.py FOLDER: where each rank leaves a file of JSON.
"""

import ctypes
import errno
import glob
import json
import os
import re
import resource
import socket
import subprocess
import sys

RANKS = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK")
CLONE_FILES = 0x400
HWLOC_OBJ_CORE = 2


def refused(call, *arguments):
    """Whether the C library's function fails with EPERM."""
    function = getattr(ctypes.CDLL(None, use_errno=True), call)
    return function(*arguments) == -1 and ctypes.get_errno() == errno.EPERM


def reads_memory_refused():
    """Whether reading the process's own memory is refused: only a filter does that."""
    return refused("process_vm_readv", os.getpid(), None, ctypes.c_ulong(0), None, ctypes.c_ulong(0), ctypes.c_ulong(0))


def quota_in(folder):
    """Processors that a cgroup's quota allows; None if it has no quota."""
    try:
        if os.path.exists(f"{folder}/cpu.max"):
            quota, period = open(f"{folder}/cpu.max", encoding="ascii").read().split()
        else:
            quota, period = (open(f"{folder}/cpu.cfs_{name}_us", encoding="ascii").read() for name in ("quota", "period"))
        return int(quota) / int(period) if int(quota) > 0 else None
    except (OSError, ValueError):
        return None


def quota():
    """Processors that the process's cgroup allows; None: no limit."""
    for line in open("/proc/self/cgroup", encoding="ascii"):
        _, controllers, path = line.strip().split(":", 2)
        if "cpu" in controllers.split(",") or not controllers:
            for root in (f"/sys/fs/cgroup/{controllers}", "/sys/fs/cgroup"):
                if (found := quota_in(root + path)) is not None:
                    return found
    return None


def hwloc_cores():
    """Number of cores that hwloc reports; None without hwloc."""
    try:
        hwloc = ctypes.CDLL("libhwloc.so.15")
    except OSError:
        return None
    topology = ctypes.c_void_p()
    hwloc.hwloc_topology_init(ctypes.byref(topology))
    hwloc.hwloc_topology_load(topology)
    depth = hwloc.hwloc_get_type_depth(topology, HWLOC_OBJ_CORE)
    return hwloc.hwloc_get_nbobjs_by_depth(topology, depth)


def takes_device_memory():
    """Whether CUDA's driver is loaded and the MPI reports support for its memory."""
    loaded = ctypes.CDLL(None)
    return hasattr(loaded, "cuPointerGetAttribute") and hasattr(loaded, "MPIX_Query_cuda_support") and \
        loaded.MPIX_Query_cuda_support() != 0


def link_rate():
    """Rate of the device eth0 of a node of the virtual cluster, in the notation of `tc`; None without a limit."""
    try:
        text = subprocess.run(["tc", "qdisc", "show", "dev", "eth0"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return None
    found = re.search(r" rate (\w+)", text)
    return found[1] if found else None


def rank():
    """The rank as set by the launcher; -1: not set."""
    return next((int(os.environ[name]) for name in RANKS if name in os.environ), -1)


def facts():
    shm = os.statvfs("/dev/shm")
    return {
        "rank": rank(),
        "host": socket.gethostname(),
        "cpus": sorted(os.sched_getaffinity(0)),
        "threads": len(glob.glob("/proc/self/task/*")),
        "nodes": os.environ.get("TUTTI_NODES", ""),
        "quota": quota(),
        "descriptors": resource.getrlimit(resource.RLIMIT_NOFILE),
        "shm_bytes": shm.f_blocks * shm.f_frsize,
        "refuses_process_vm_readv": reads_memory_refused(),
        "refuses_unshare": refused("unshare", CLONE_FILES),
        "cores": hwloc_cores(),
        "takes_device_memory": takes_device_memory(),
        "rate": link_rate(),
    }


if __name__ == "__main__":
    with open(f"{sys.argv[1]}/{rank()}.json", "w", encoding="utf-8") as out:
        json.dump(facts(), out)
