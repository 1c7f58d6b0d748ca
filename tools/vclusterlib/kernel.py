"""Thin wrappers over the Linux calls that Python 3.11 does not offer: namespaces, mounts, prctl."""

import contextlib
import ctypes
import os
import signal

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_BIND = 0x1000
MS_MOVE = 0x2000
MS_REC = 0x4000
MS_SLAVE = 0x80000

PR_SET_PDEATHSIG = 1

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result, what):
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")


def unshare(flags):
    """Moves the caller into new namespaces (CLONE_NEWPID: its future children)."""
    _check(_libc.unshare(flags), f"unshare({flags:#x})")


def setns(namespace_fd, kind):
    """Joins the namespace of a descriptor of /proc/PID/ns/KIND."""
    _check(_libc.setns(namespace_fd, kind), f"setns({kind:#x})")


def mount(source, target, filesystem=None, flags=0, options=None):
    """mount(2)."""
    arguments = [None if a is None else os.fsencode(a) for a in (source, target, filesystem)]
    data = None if options is None else options.encode()
    _check(_libc.mount(*arguments, ctypes.c_ulong(flags), data), f"mount on {target}")


def die_with_parent():
    """Asks the kernel to SIGKILL this process when its parent dies. Survives exec, not fork."""
    _check(_libc.prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0), "prctl(PR_SET_PDEATHSIG)")


def fork_into_pid_namespace():
    """Like fork(), but the child is process 1 of a new pid namespace.

    When process 1 dies the kernel kills all processes in its namespace and in nested ones,
    whatever sessions and process groups those processes have created.
    """
    own = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
    try:
        unshare(CLONE_NEWPID)
        pid = os.fork()
        if pid != 0:
            setns(own, CLONE_NEWPID)  # otherwise every later child of the caller would also be in the new namespace
        return pid
    finally:
        os.close(own)


def start_time(pid):
    """Start time of a process in clock ticks since boot, or None when it is gone or a zombie.

    A pid with its start time identifies a process uniquely; a pid alone is reused.
    """
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
            fields = stat.read().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def is_alive(pid, started):
    """Whether the process with this pid and start time still runs."""
    return started is not None and start_time(pid) == started


def kill_quietly(pid, signal_number=signal.SIGKILL):
    """kill(2) for a process that may have ended already."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal_number)
