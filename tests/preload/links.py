#!/usr/bin/env python3
"""The built-in rules hold on slow links, and where nothing can be served nothing is opened.

    links.py --tutti build/bin/tutti --programs build/tests/preload --mpi mpich [--cluster]

With --cluster the ranks are on nodes of a virtual cluster, whose links are slow.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

LAUNCHERS = {"mpich": ["mpirun.mpich"], "openmpi": ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none"]}
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
PYTHON = "/usr/bin/python3"
TIMEOUT_S = 240
FAST = r"[\d.]+ Gbit/s, \d+ µs: the built-in rules are for slower links, and do not hold"
SLOW = r"[\d.]+ Gbit/s, \d+ µs: the built-in rules hold"
NODES = {"TUTTI_NODES": "0,1"}


class Trial:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.opened = [options.programs.resolve() / f"opened-{options.mpi}"]

    def run(self, words, settings):
        """Returns the output of the program and the summary, and the report."""
        report = self.folder / "report.json"
        env = {name: value for name, value in os.environ.items() if not name.startswith("TUTTI")} | AS_ROOT
        env |= {"TMPDIR": str(self.folder), **settings}
        line = [self.options.tutti, "run", "--report", report, "--", *LAUNCHERS[self.options.mpi], "-n", "2", *words]
        run = subprocess.run(list(map(str, line)), stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                             timeout=TIMEOUT_S, check=False, env=env)
        assert run.returncode == 0, f"{line}: status {run.returncode}\n{run.stdout}{run.stderr}"
        return run.stdout, json.loads(report.read_text())

    def serves_nothing(self, links, settings):
        said, report = self.run(self.opened, settings)
        where = f"with {settings}: {said}{json.dumps(report, indent=1)}"
        assert re.fullmatch(links, report["links"]), where
        assert {call["choice"] for call in report["calls"]} == {"native"}, where
        assert not report["sites"], f"call sites choose for themselves {where}"
        assert report["progress"] == "left to the MPI, as no rule asks for anything else", where
        assert "threads=0 second_network=0" in said, where

    def serves(self, links, settings):
        said, report = self.run(self.opened, settings)
        where = f"with {settings}: {said}{json.dumps(report, indent=1)}"
        assert re.fullmatch(links, report["links"]), where
        assert {call["collective"] for call in report["calls"] if call["choice"] != "native"} >= {"bcast", "ibcast"}, where
        assert "threads=0" not in said, where

    def opens_nothing_for_bindings(self, settings):
        """They name nonblocking collectives, and the program calls none."""
        if subprocess.run([PYTHON, "-c", "import mpi4py"], check=False, capture_output=True).returncode != 0:
            return
        said, _ = self.run([PYTHON, Path(__file__).resolve().parent / "python/blocking.py"], settings)
        assert "second_network=0" in said, said

    def all(self):
        if self.options.cluster:
            return self.serves(SLOW, {"TUTTI_TUNE": "off"})
        self.serves_nothing("", {})
        self.serves_nothing(FAST, NODES)
        self.serves_nothing("fast links: .*", NODES | {"TUTTI_LINKS": "fast"})
        slow = NODES | {"TUTTI_LINKS": "slow", "TUTTI_TUNE": "off"}
        self.serves("slow links: .*", slow)
        if self.options.mpi == "openmpi":  # to which Debian's mpi4py belongs
            self.opens_nothing_for_bindings(slow)
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tutti", type=Path, required=True)
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--mpi", choices=LAUNCHERS, required=True)
    parser.add_argument("--cluster", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        Trial(options, Path(folder)).all()
    print("links: all as it should be")


if __name__ == "__main__":
    sys.exit(main())
