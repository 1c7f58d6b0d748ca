"""Shared by the benchmarks on the virtual cluster: how they run `tutti bench` there, and how they format numbers."""

import contextlib
import os
import pathlib
import signal
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MPIS = {"mpich": "mpirun.mpich", "openmpi": "mpirun.openmpi"}
NAMES = {"mpich": "MPICH", "openmpi": "Open MPI"}

AUTOGROUP = pathlib.Path("/proc/sys/kernel/sched_autogroup_enabled")


@contextlib.contextmanager
def ranks_share_cores_evenly():
    """With autogroups the kernel divides the cores by session: a launcher makes one for each rank or node, and what else
    runs on the machine counts as much as all ranks of a node. Both sides are measured without. Set back at the end,
    also by SIGTERM."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    before = AUTOGROUP.read_text() if AUTOGROUP.exists() else None
    if before is not None:
        AUTOGROUP.write_text("0")
    try:
        yield
    finally:
        if before is not None:
            AUTOGROUP.write_text(before)


def run_there(nodes, ranks_per_node, words, settings=None, stderr=None, limit_s=None):
    """Runs WORDS on links of 1 Gbit/s; `settings` go into the environment. Returns what it printed, and ends this program
    where it fails. After `limit_s` it is ended: subprocess.TimeoutExpired."""
    line = [ROOT / "tools/vcluster", "with", nodes, "--rate", "1gbit", "--ppn", ranks_per_node, "--", *words]
    with subprocess.Popen([str(word) for word in line], stdout=subprocess.PIPE, stderr=stderr, text=True,
                          errors="replace", env={**os.environ, **(settings or {})}) as running:
        try:
            output, _ = running.communicate(timeout=limit_s)
        except BaseException:
            running.terminate()  # and not kill(): the virtual cluster takes itself down
            raise
    if running.returncode != 0:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: a run ended with status {running.returncode}\n{output}")
    return output


def bench(build, mpi, nodes, ranks_per_node, words, settings=None):
    """Runs `tutti bench WORDS` there. Returns what it printed."""
    return run_there(nodes, ranks_per_node,
                     [build / "bin/tutti", "bench", *words, "--", MPIS[mpi], "-n", nodes * ranks_per_node], settings)


def with_range(values, digits=2):
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def size_text(size):
    value = int(size)
    for unit in ("", " KiB", " MiB"):
        if value < 1024:
            return f"{value}{unit or ' B'}"
        value //= 1024
    return str(size)
