"""Finds the shim library that goes with every rank, and compiles it where nobody has."""

import hashlib
import os
import shutil
import subprocess
import tempfile

from .errors import Unavailable, UsageError

_SOURCE = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))),
                       "vcluster_shim.c")


def locate():
    """Path of the shim: $VCLUSTER_SHIM (a build's vcluster_shim.so), or the cached compilation."""
    built = os.environ.get("VCLUSTER_SHIM")
    if built is None:
        return _compiled()
    if not os.path.isfile(built):
        raise UsageError(f"VCLUSTER_SHIM={built} is not a file")
    return built


def _compiled():
    with open(_SOURCE, "rb") as source:
        digest = hashlib.sha256(source.read()).hexdigest()[:16]
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    cache = os.path.join(base, "tutti")
    library = os.path.join(cache, f"vcluster_shim-{digest}.so")
    if os.path.exists(library):
        return library
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise Unavailable("no C compiler for the shim (apt-get install gcc, or set VCLUSTER_SHIM)")
    os.makedirs(cache, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as scratch:
        made = os.path.join(scratch, "shim.so")
        command = [compiler, "-std=gnu11", "-O2", "-shared", "-fPIC", _SOURCE, "-o", made, "-ldl"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Unavailable(f"cannot compile {_SOURCE}: {done.stderr.strip().splitlines()[0]}")
        os.replace(made, library)  # in one step: another cluster may be starting
    return library
