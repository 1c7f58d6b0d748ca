"""A job: one command on the head and everything it starts on the nodes.

The nodes boot for each job: process ids, shared memory and mounts are new, only the network belongs to the
cluster. Process 1 of a job's pid namespace ("init" below) is the parent of process 1 of every
node. However a job ends - regularly, by a signal, by the death of the tool - init dies, and the
kernel then kills the remaining processes on head and nodes and removes their mounts. No search for
ranks is needed.

    vcluster ── init (pid 1 of the job, on the head) ─┬─ COMMAND (mpirun, tutti run, …)
                                                      ├─ pid 1 of node 0 ── ranks, entered by agent
                                                      └─ pid 1 of node 1 ── …
"""

import os
import shutil
import signal
import sys
import time
import traceback

from . import cluster as cluster_record
from . import kernel, node
from .cluster import JOB_DIRECTORY
from .errors import VclusterError

AGENT = f"{JOB_DIRECTORY}/agent"
SHIM = f"{JOB_DIRECTORY}/vcluster_shim.so"

_FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_SUPERVISED = {signal.SIGCHLD, *_FORWARDED}
_SI_KERNEL = 0x80  # si_code of a signal typed at the terminal, which every process there received
_GRACE_SECONDS = 3.0


def run(name, command, environment, shim, files):
    """Runs command on the head of a cluster and returns its exit status.

    environment  complete environment of the command
    shim         path of the shim library for the processes of the nodes
    files        name -> text of additional files of the job directory
    """
    sys.stdout.flush()
    sys.stderr.flush()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SUPERVISED)
    try:
        with cluster_record.locked():
            cluster = cluster_record.find(name)
            namespaces = [os.open(path, os.O_RDONLY | os.O_CLOEXEC) for path in cluster.namespaces]
            go_read, go_write = os.pipe()
            init = kernel.fork_into_pid_namespace()
            if init == 0:
                os.close(go_write)
                _run_init(cluster, namespaces, go_read, command, environment, shim, files)
            forget = cluster.register_job(init)
        for fd in (*namespaces, go_read):
            os.close(fd)
        os.write(go_write, b"!")
        os.close(go_write)
        try:
            return _supervise(init, _GRACE_SECONDS)
        finally:
            forget()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _supervise(child, grace_seconds=None):
    """Waits for a child, reaping others; forwards signals. Call with _SUPERVISED blocked.

    grace_seconds: time after a signal until the child is killed; None leaves that to the caller above.
    Returns an exit status like a shell; never 0 after a signal that requests the end.
    """
    deadline = None
    asked_by = None
    while True:
        timeout = 3600.0 if deadline is None else max(0.0, deadline - time.monotonic())
        info = signal.sigtimedwait(_SUPERVISED, timeout)
        if info is None and deadline is not None:
            kernel.kill_quietly(child)
            deadline = None
        elif info is not None and info.si_signo != signal.SIGCHLD:
            if info.si_code != _SI_KERNEL:
                kernel.kill_quietly(child, info.si_signo)
            if grace_seconds is not None:
                # A second request ends the child at once.
                deadline = time.monotonic() + (grace_seconds if asked_by is None else 0.0)
                asked_by = info.si_signo
        status = _reap(child)
        if status is not None:
            # Killed after the grace period, or exited with 0: an interrupted launcher may report success.
            if grace_seconds is not None and asked_by is not None and status in (0, 128 + signal.SIGKILL):
                return 128 + asked_by
            return status


def _reap(child):
    """Reaps all dead children; returns the exit status of `child` if it is among them."""
    status = None
    while True:
        try:
            pid, raw = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return status
        if pid == 0:
            return status
        if pid == child:
            code = os.waitstatus_to_exitcode(raw)
            status = code if code >= 0 else 128 - code


def _run_init(cluster, namespaces, go_read, command, environment, shim, files):
    """Body of process 1 of a job; never returns."""
    status = 1
    try:
        kernel.die_with_parent()
        if os.read(go_read, 1):  # end of file: the parent died before it could report anything
            os.close(go_read)
            _boot(cluster, namespaces, shim, files)
            status = _supervise(_start(command, environment))
    except (VclusterError, OSError) as error:
        print(f"vcluster: cannot boot the nodes of '{cluster.name}': {error}", file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _boot(cluster, namespaces, shim, files):
    """Makes the caller the head and boots the nodes."""
    switch, *node_namespaces = namespaces
    kernel.setns(switch, kernel.CLONE_NEWNET)
    kernel.unshare(node.NODE_NAMESPACES)
    kernel.mount(None, "/", flags=kernel.MS_REC | kernel.MS_SLAVE)
    node.make_job_directory(cluster, SHIM)
    shutil.copy(shim, SHIM)
    shutil.copy(os.path.join(os.path.dirname(__file__), "agent"), AGENT)
    for name, text in files.items():
        with open(f"{JOB_DIRECTORY}/{name}", "w", encoding="utf-8") as file:
            file.write(text)
    ready_read, ready_write = os.pipe()
    for host, namespace in zip(cluster.node_names, node_namespaces):
        pid = kernel.fork_into_pid_namespace()
        if pid == 0:
            _run_node(host, namespace, ready_write)
        # The pid in the head's /proc, which the agent reads.
        with open(f"{JOB_DIRECTORY}/pid.{host}", "w", encoding="ascii") as file:
            file.write(f"{pid}\n")
    os.close(ready_write)
    with os.fdopen(ready_read, "rb") as ready:
        if len(ready.read()) != len(node_namespaces):
            raise VclusterError("a node did not come up")
    node.dress(cluster.head_name, etc=None)
    for fd in namespaces:
        os.close(fd)


def _run_node(host, namespace, ready_write):
    """Body of process 1 of a node; never returns."""
    try:
        kernel.setns(namespace, kernel.CLONE_NEWNET)
        kernel.unshare(node.NODE_NAMESPACES)
        node.dress(host, etc=f"{JOB_DIRECTORY}/etc")
        # Process 1 inherits orphans. Ignoring SIGCHLD, which exec keeps, lets the kernel reap them.
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        os.write(ready_write, b"!")
        os.execvp("sleep", ["node", "infinity"])
    except OSError as error:
        print(f"vcluster: node {host}: {error}", file=sys.stderr)
    finally:
        os._exit(1)


def _start(command, environment):
    """Starts the command on the head with the signal state of a fresh login."""
    pid = os.fork()
    if pid == 0:
        for number in (*_FORWARDED, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        try:
            os.execvpe(command[0], command, environment)
        except OSError as error:
            print(f"vcluster: cannot run '{command[0]}': {error.strerror}", file=sys.stderr)
            os._exit(127 if isinstance(error, FileNotFoundError) else 126)
    return pid
