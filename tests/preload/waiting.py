#!/usr/bin/env python3
"""Ranks that have a processor each do not nap while they wait, however their masks give it to them; ranks that share one may.

    waiting.py --mpi mpich --library build/lib/libtutti-mpich.so --programs build/bin

What counts is what rank 0 says of its processors, and whether it has napped: no time is compared.
"""

import argparse
import contextlib
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

LAUNCHERS = {"mpich": ["mpirun.mpich"], "openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root"]}
BY_LAUNCHER = {"mpich": ["-bind-to", "core"], "openmpi": ["--bind-to", "core"]}
UNBOUND = {"mpich": ["-bind-to", "none"], "openmpi": ["--bind-to", "none"]}
# Every wait is one of Tutti's, on the program's thread.
SETTINGS = {"TUTTI_BARRIER": "dissemination", "TUTTI_PROGRESS": "off", "TUTTI_TUNE": "off", "TUTTI_VERBOSE": "1"}
TIMEOUT_S = 120
ATTEMPTS = 20


class Trial:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder

    def run(self, masks, prefix=(), program="barriers", **settings):
        """`masks`: by rank; one number: so many ranks, bound by the launcher. Returns rank 0's report."""
        mpi, report = self.options.mpi, self.folder / "report.json"
        environment = SETTINGS | {"TUTTI_REPORT": str(report), "LD_PRELOAD": str(self.options.library)} | settings
        program = ["env", *(f"{name}={value}" for name, value in environment.items()),
                   str(self.options.programs / f"{program}-{mpi}")]
        words = [*prefix, *LAUNCHERS[mpi]]
        if isinstance(masks, int):
            words += [*BY_LAUNCHER[mpi], "-n", str(masks), *program]
        else:
            words += UNBOUND[mpi]
            for rank, mask in enumerate(masks):
                words += ([":"] if rank else []) + ["-n", "1", "taskset", "-c", ",".join(map(str, mask)), *program]
        run = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                             timeout=TIMEOUT_S, check=False,
                             env=os.environ | {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "TMPDIR": str(self.folder)})
        assert run.returncode == 0, f"{words}: status {run.returncode}\n{run.stdout}{run.stderr}"
        found = json.loads(report.read_text())
        assert found["cpus"] in run.stderr, f"nothing of '{found['cpus']}' in\n{run.stderr}"
        return found

    def expect(self, share, masks, **more):
        """Returns how often rank 0 has napped."""
        found = self.run(masks, **more)
        assert found["cpus"].startswith(f"{share}: "), f"{masks}: {found['cpus']}, not {share}"
        assert share == "shared" or found["naps"] == 0, f"{masks}: {share}, and {found['naps']} naps"
        return found["naps"]

    def masks(self, a, b):
        self.expect("own", 2)
        self.expect("own", [[a, b], [a, b]])
        self.expect("own", [[a], [b]])
        self.expect("own", [[a], [b]], TUTTI_NODES="0,1")
        # On a machine with much other load, yields may take as long as any wait here.
        assert any(self.expect("shared", [[a], [a]], TUTTI_NODES="0,1") for _ in range(ATTEMPTS)), "no rank naps"
        self.expect("own", [[a, b], [a]])
        self.expect("own", [[a, b], [a], [a]])
        self.expect("shared", [[a], [a], [a, b]])

    def threads(self, a, b):
        """If threads of the program share a core, no progress thread is started unless it is requested."""
        serves = {"program": "nonblocking_threads", "TUTTI_NODES": "0,1", "TUTTI_LINKS": "slow"}
        for masks, progress, is_left in (([[a], [a]], "auto", True), ([[a], [a]], "thread", False), ([[a], [b]], "auto", False)):
            said = self.run(masks, **serves, TUTTI_PROGRESS=progress)["progress"]
            assert said.startswith("left to the MPI") == is_left, f"{masks}, {progress}: {said}"

    def quota(self, a, b):
        with group_of_one_cpu() as group:
            if group is None:
                print("no control group of its own: a quota is not tried")
                return
            enter = ["bash", "-c", f"echo $$ > {shlex.quote(str(group / 'cgroup.procs'))} && exec \"$@\"", "enter"]
            self.expect("shared", [[a], [b]], prefix=enter)


@contextlib.contextmanager
def group_of_one_cpu():
    """The folder of a control group that may use one processor's time; None where there can be none."""
    first = Path("/sys/fs/cgroup/cpu") if Path("/sys/fs/cgroup/cpu").is_dir() else Path("/sys/fs/cgroup")
    group = first / f"tutti-test-{os.getpid()}"
    try:
        group.mkdir()
    except OSError:
        yield None
        return
    try:
        try:
            if (group / "cpu.cfs_quota_us").exists():
                period = (group / "cpu.cfs_period_us").read_text()
                (group / "cpu.cfs_quota_us").write_text(period)
            else:
                (group / "cpu.max").write_text("100000 100000")
        except OSError:
            yield None
        else:
            yield group
    finally:
        group.rmdir()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", choices=LAUNCHERS, required=True)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--programs", type=Path, required=True)
    options = parser.parse_args()
    processors = sorted(os.sched_getaffinity(0))
    if len(processors) < 2:
        print("this machine has one processor for us: nothing to compare")
        return 77
    with tempfile.TemporaryDirectory(prefix="tutti-", ignore_cleanup_errors=True) as folder:
        trial = Trial(options, Path(folder))
        trial.masks(*processors[:2])
        trial.quota(*processors[:2])
        trial.threads(*processors[:2])
    return 0


if __name__ == "__main__":
    sys.exit(main())
