"""System calls that fail with EPERM in this process and its children, like under a container's filter."""

import ctypes
import errno
import os
import platform
import struct

# Numbers of system calls, by machine.
NUMBERS = {
    "x86_64": {"process_vm_readv": 310, "process_vm_writev": 311, "unshare": 272},
    "aarch64": {"process_vm_readv": 270, "process_vm_writev": 271, "unshare": 97},
}
# The other system calls with these numbers: those of x32 on x86-64 have this bit.
_X32_BIT = 0x40000000

_PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 22, 38
_SECCOMP_MODE_FILTER = 2
_RETURN_ALLOW, _RETURN_ERRNO = 0x7FFF0000, 0x00050000
# The classic packet filter's codes: load a word, jump if equal, return.
_LOAD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_OFFSET_OF_NUMBER = 0


class _Program(ctypes.Structure):
    _fields_ = [("count", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def unavailable():
    """Reason why no filter is possible here; empty if it is."""
    return "" if platform.machine() in NUMBERS else f"no numbers of system calls are known for {platform.machine()}"


def refuse(names):
    """Makes these system calls fail from now on."""
    numbers = [NUMBERS[platform.machine()][name] for name in names]
    numbers += [number | _X32_BIT for number in numbers]
    code = [(_LOAD, 0, 0, _OFFSET_OF_NUMBER)]
    code += [(_JUMP_IF_EQUAL, len(numbers) - i, 0, number) for i, number in enumerate(numbers)]
    code += [(_RETURN, 0, 0, _RETURN_ALLOW), (_RETURN, 0, 0, _RETURN_ERRNO | errno.EPERM)]
    packed = b"".join(struct.pack("=HBBI", *instruction) for instruction in code)
    program = _Program(len(code), packed)
    libc = ctypes.CDLL(None, use_errno=True)
    for arguments in ((_PR_SET_NO_NEW_PRIVS, 1, 0), (_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program))):
        if libc.prctl(*arguments, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), f"prctl({arguments[0]}): {os.strerror(ctypes.get_errno())}")
