"""The keeper: the one process that keeps a cluster's network namespaces alive.

The namespaces have no name in the file system; they exist because the keeper holds descriptors of
them. When it dies, for whatever reason, the kernel takes down every namespace, bridge and link.
"""

import contextlib
import os
import signal

from . import kernel


class Keeper:
    """A keeper that is being started: it dies with its creator until release() is called.

    pid         its process
    namespaces  paths for nsenter and open(): first the switch, then the nodes
    """

    def __init__(self, label, node_count, ephemeral):
        """ephemeral: it dies with its creator even after release()."""
        made_read, made_write = os.pipe()
        release_read, self._release_write = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(made_read)
            os.close(self._release_write)
            _keep(label, node_count + 1, ephemeral, made_write, release_read)
        os.close(made_write)
        os.close(release_read)
        with os.fdopen(made_read) as pipe:
            verdict, _, detail = pipe.read().partition(":")
        if verdict != "held":
            os.waitpid(self.pid, 0)
            raise OSError(detail or "the keeper of the namespaces died")
        self.namespaces = [f"/proc/{self.pid}/fd/{fd}" for fd in detail.split(",")]

    def release(self):
        """Lets the keeper outlive its creator."""
        os.write(self._release_write, b"!")
        os.close(self._release_write)


def _keep(label, namespace_count, ephemeral, made_write, release_read):
    """Body of the keeper; never returns."""
    try:
        os.setsid()
        # The inherited mask and handlers serve the creator's cleanup, not this process.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        if ephemeral:
            kernel.die_with_parent()
        try:
            held = _make_namespaces(namespace_count)
            os.write(made_write, f"held:{','.join(map(str, held))}".encode())
        except OSError as error:
            os.write(made_write, f"failed:{error}".encode())
            os._exit(1)
        os.close(made_write)
        if os.read(release_read, 1):
            _become_sleep(label, held)
    finally:
        os._exit(1)


def _make_namespaces(count):
    held = []
    for _ in range(count):
        kernel.unshare(kernel.CLONE_NEWNET)
        held.append(os.open("/proc/self/ns/net", os.O_RDONLY))
    return held


def _become_sleep(label, held):
    """Replaces the interpreter by a process of a few pages that holds only namespaces."""
    null = os.open("/dev/null", os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    for fd in map(int, os.listdir("/proc/self/fd")):
        if fd in held:
            os.set_inheritable(fd, True)
        elif fd > 2:
            with contextlib.suppress(OSError):  # the descriptor used to list the directory
                os.close(fd)
    os.chdir("/")
    os.execvp("sleep", [label, "infinity"])
