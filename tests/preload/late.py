#!/usr/bin/env python3
"""Agents are opened when ranks come late, and only then; then they serve, on all communicators, until the ranks come
together again.

    late.py --tutti build/bin/tutti --programs build/tests/preload --mpi mpich [--nap LIB]

How fast anything is decides which candidate runs and when, so only what does not depend on it is checked: late ranks
get as many calls as it takes.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

LAUNCHERS = {"mpich": ["mpirun.mpich"], "openmpi": ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none"]}
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
TIMEOUT_S = 600
CALLS = 120
MOST_CALLS = 16 * CALLS


class Trial:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.program = str(options.programs.resolve() / f"late_ranks-{options.mpi}")

    def run(self, *arguments, **settings):
        """Returns its stderr output and its report."""
        report = self.folder / "report.json"
        env = {name: value for name, value in os.environ.items() if not name.startswith("TUTTI")} | AS_ROOT
        env |= {"TUTTI_NODES": "0,1,0,1", "TUTTI_LINKS": "slow", "TUTTI_AGENTS": "late", "TUTTI_VERBOSE": "1",
                "TUTTI_TUNE_BUDGET": "200", "TMPDIR": str(self.folder), **settings}
        if self.options.nap:
            env["LD_PRELOAD"] = str(self.options.nap)
        words = [self.options.tutti, "run", "--report", report, "--", *LAUNCHERS[self.options.mpi], "-n", "4",
                 self.program, *arguments]
        run = subprocess.run(list(map(str, words)), stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                             timeout=TIMEOUT_S, check=False, env=env)
        assert run.returncode == 0, f"{words}: status {run.returncode}\n{run.stdout}{run.stderr}"
        return run.stderr, json.loads(report.read_text())

    @staticmethod
    def tried_agents(report):
        return [site for site in report["sites"]
                if any(one["candidate"] == "agent" and one["trials"] > 0 for one in site["candidates"])]

    def late(self):
        calls = CALLS
        while missing := self.missing_of_late(calls):
            assert calls < MOST_CALLS, missing
            calls *= 4

    def missing_of_late(self, calls):
        said, report = self.run(calls)
        if "every node has agents" not in said:
            return f"ranks come late, and agents were not opened\n{said}"
        if not self.tried_agents(report):
            return "agents were opened, and no site tried them"
        if not any(event["why"] == "arrivals" for site in report["sites"] for event in site["switches"]):
            return "no site noticed that ranks came late"
        return None

    def even(self):
        said, report = self.run(CALLS, "even")
        assert not self.tried_agents(report) or "every node has agents" in said

    def off(self):
        for name, value in (("TUTTI_AGENTS", "off"), ("TUTTI_TUNE", "off"), ("TUTTI_TRANSPORT", "mpi"), ("TUTTI_LINKS", "fast")):
            said, report = self.run(CALLS, **{name: value})
            assert "every node has agents" not in said, f"{name}={value}, and agents were opened"
            assert not self.tried_agents(report)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tutti", type=Path, required=True)
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--mpi", choices=LAUNCHERS, required=True)
    parser.add_argument("--nap", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(options, Path(folder))
        trial.late()
        trial.even()
        trial.off()
    print("late: all as it should be")


if __name__ == "__main__":
    sys.exit(main())
