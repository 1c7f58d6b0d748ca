#!/usr/bin/env python3
"""Installs a build into a folder of its own and uses it there as a stranger would: the command, preloading, linking
by find_package and by pkg-config, the man page. Nothing of the source tree is needed afterwards."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parent / "project"
LAUNCH = {
    "mpich": ["mpirun.mpich", "-n", "2"],
    "openmpi": ["mpirun.openmpi", "--oversubscribe", "-n", "2"],
}
# Two ranks may share a core with everything else that a test run does.
PATIENT = {"OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(*command, **changes):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("TUTTI")} | PATIENT | changes
    result = subprocess.run([str(word) for word in command], env=environment, capture_output=True, text=True, timeout=120)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nended with status {result.returncode}:\n{result.stdout}{result.stderr}")
    return result.stdout, result.stderr


def expect(condition, message):
    if not condition:
        sys.exit(message)


def check_files(prefix, options, mpis):
    lib = prefix / options.libdir
    files = [prefix / "bin/tutti", prefix / "include/tutti/version.h",
             prefix / "include/tutti/tutti.h",
             prefix / "share/doc/tutti/examples/overlap.c", prefix / "share/man/man1/tutti.1",
             prefix / "share/doc/tutti/docs/selection.md",
             prefix / "share/bash-completion/completions/tutti", prefix / "share/zsh/site-functions/_tutti",
             prefix / "share/tutti/rules.schema.json", prefix / "share/tutti/modulefile",
             lib / "cmake/tutti/tuttiConfig.cmake"]
    if mpis:
        files.append(prefix / "include/tutti/tutti.f90")
    if options.ucx:
        files.append(lib / "libtutti-ucx.so")
    for mpi in mpis:
        files += [lib / f"libtutti-{mpi}.so", lib / f"pkgconfig/tutti-{mpi}.pc",
                  prefix / f"libexec/tutti/tutti-bench-{mpi}", prefix / f"libexec/tutti/tutti-bench-overlap-{mpi}",
                  prefix / f"libexec/tutti/tutti-tune-{mpi}"]
    for file in files:
        expect(file.is_file(), f"{file.relative_to(prefix)} was not installed")
    module = (prefix / "share/tutti/modulefile").read_text()
    expect(str(prefix) in module, "the module file does not know its prefix")
    expect(f"prepend-path LD_LIBRARY_PATH $prefix/{options.libdir}\n" in module, "the module file does not say where the libraries are")


def check_command(prefix, options, mpis):
    known = json.loads(run(prefix / "bin/tutti", "info", "--json")[0])
    expect(known["version"] == options.version, f"the command is of version {known['version']}")
    for mpi in mpis:
        library = known["libraries"][mpi]
        expect(library and Path(library).is_relative_to(prefix), f"the command would preload {library}")


def check_linking(prefix, folder, options, mpis):
    build = folder / "build"
    run(options.cmake, "-S", PROJECT, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DMPIS={';'.join(mpis)}")
    run(options.cmake, "--build", build)
    expected = f"tutti {options.version} sum 84"
    for mpi in mpis:
        by_cmake = build / f"linked-{mpi}"
        flags = run("pkg-config", "--cflags", "--libs", f"tutti-{mpi}",
                    PKG_CONFIG_PATH=str(prefix / options.libdir / "pkgconfig"))[0].split()
        by_pkg_config = folder / f"by-pkg-config-{mpi}"
        run(f"mpicc.{mpi}", PROJECT / "linked.c", "-o", by_pkg_config, *flags,
            f"-Wl,-rpath,{prefix / options.libdir}")
        for program in (by_cmake, by_pkg_config):
            out, report = run(*LAUNCH[mpi], program, TUTTI_REPORT="summary")
            expect(expected in out, f"{program.name} printed {out!r} instead of {expected!r}")
            expect("bcast" in report, f"{program.name} linked with Tutti was not served by it: {report!r}")


def check_preloading(prefix, folder, options, mpis):
    for mpi in mpis:
        source = folder / "plain.c"
        text = (PROJECT / "linked.c").read_text()
        source.write_text(text.replace("#include <tutti/version.h>\n", "").replace("tutti_version()", '"none"'))
        program = folder / f"plain-{mpi}"
        run(f"mpicc.{mpi}", source, "-o", program)
        out, report = run(prefix / "bin/tutti", "run", "--", *LAUNCH[mpi], program)
        expect("tutti none sum 84" in out, f"under tutti run, {program.name} printed {out!r}")
        expect("bcast" in report, f"tutti run reported nothing for {program.name}: {report!r}")
        _, report = run(prefix / "bin/tutti", "run", "--", *LAUNCH[mpi], program, TUTTI_PROGRESS="thread",
                        TUTTI_TRANSPORT="ucx", TUTTI_NODES="0,1")
        expect(not options.ucx or "over UCX" in report, f"libtutti-ucx.so was not used by {program.name}: {report!r}")


def check_uninstall(prefix, folder, options):
    """Checks that uninstalling removes exactly the listed files of an installation."""
    run(options.cmake, "--install", options.build, "--prefix", folder / "gone")
    foreign = folder / "gone/bin/foreign"
    foreign.write_text("")
    run(options.cmake, "--build", options.build, "--target", "uninstall")
    left = [file for file in (folder / "gone").rglob("*") if not file.is_dir()]
    expect(left == [foreign], f"after uninstalling there is still {left}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--cmake", "--build", "--version", "--libdir", "--mpis"):
        parser.add_argument(name, required=True)
    parser.add_argument("--ucx", action="store_true", help="the transport over UCX was built")
    options = parser.parse_args()
    mpis = [mpi for mpi in options.mpis.split(",") if mpi]
    with tempfile.TemporaryDirectory(prefix="tutti-installation-") as name:
        folder = Path(name)
        # Moved after it was installed: nothing in it may know where it was.
        first, prefix = folder / "first", folder / "prefix"
        run(options.cmake, "--install", options.build, "--prefix", prefix)
        check_files(prefix, options, mpis)
        run(options.cmake, "--install", options.build, "--prefix", first)
        shutil.rmtree(prefix)
        first.rename(prefix)
        check_command(prefix, options, mpis)
        check_linking(prefix, folder, options, mpis)
        check_preloading(prefix, folder, options, mpis)
        check_uninstall(prefix, folder, options)
    print(f"installed, linked and preloaded with {', '.join(mpis) or 'no MPI'}")


main()
