"""Finds libraries to preload into ranks, and compiles them if there is no build."""

import hashlib
import os
import shutil
import subprocess
import tempfile

from .errors import Unavailable, UsageError

_SOURCES = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


def locate(name, called=None):
    """Path of a library NAME whose source is tools/NAME.c: $NAME in capitals (from a build), or the cached compilation,
    whose file name begins with `called`."""
    variable = name.upper()
    built = os.environ.get(variable)
    if built is None:
        return _compiled(name, called or name)
    if not os.path.isfile(built):
        raise UsageError(f"{variable}={built} is not a file")
    return built


def kept(name, content, suffix, make):
    """Path of a file that make(path) creates from `content`, once for all callers."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    cache = os.path.join(base, "tutti")
    path = os.path.join(cache, f"{name}-{hashlib.sha256(content).hexdigest()[:16]}{suffix}")
    if os.path.exists(path):
        return path
    os.makedirs(cache, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as scratch:
        made = os.path.join(scratch, "made" + suffix)
        make(made)
        os.replace(made, path)  # atomic: another process may look for it
    return path


def _compiled(name, called):
    source = os.path.join(_SOURCES, f"{name}.c")

    def make(path):
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if compiler is None:
            raise Unavailable(f"no C compiler for {source} (apt-get install gcc, or set {name.upper()})")
        command = [compiler, "-std=gnu11", "-O2", "-shared", "-fPIC", source, "-o", path, "-ldl", "-pthread"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Unavailable(f"cannot compile {source}: {done.stderr.strip().splitlines()[0]}")

    with open(source, "rb") as file:
        return kept(called, file.read(), ".so", make)
