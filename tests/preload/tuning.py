#!/usr/bin/env python3
"""Rules from trials, as people make and use them: `tutti tune` writes a file, `tutti run --learn` serves calls by it,
and `tutti export` makes a file that the MPI alone obeys.

    tuning.py --tutti build/bin/tutti --mpi mpich --bench build/libexec/tutti/tutti-bench-mpich [--nap LIB] [--spy LIB]

Nothing here depends on how fast anything is: whatever the trials say, the file says the same, and the run obeys.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

AS_ROOT = ["--allow-run-as-root"] if os.geteuid() == 0 else []
LAUNCHERS = {"mpich": ["mpirun.mpich"], "openmpi": ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", *AS_ROOT]}
TIMEOUT_S = 240
RANKS = 4
BYTES = 65536
COLLECTIVES = ["bcast", "allgather", "allreduce"]
NODES = {"TUTTI_NODES": "0,0,1,1", "TUTTI_LINKS": "slow"}


class Fault(Exception):
    pass


class Trial:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.mpirun = [*LAUNCHERS[options.mpi], "-n", str(RANKS)]

    def environment(self, env=None):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("TUTTI")}
        clean |= {"TMPDIR": str(self.folder), "OMPI_MCA_mpi_yield_when_idle": "1", **(env or {})}
        if self.options.nap:
            clean["LD_PRELOAD"] = str(self.options.nap)
        return clean

    def execute(self, words, env=None, status=0):
        """Returns both streams. `env` is for the ranks too: Tutti hands TUTTI_* on, the launchers the rest."""
        run = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, errors="replace", timeout=TIMEOUT_S, check=False,
                             env=self.environment(env))
        if status is not None and run.returncode != status:
            raise Fault(f"{' '.join(str(word) for word in words)}: status {run.returncode}\n{run.stdout}")
        return run.returncode, run.stdout

    def tutti(self, *words, env=None):
        return self.execute([self.options.tutti, *words], env)[1]

    def bench(self, collectives, env=None, launch=(), status=0):
        """The benchmark without Tutti; it checks its results."""
        return self.execute([*self.mpirun, *launch, self.options.bench, *collectives, "--sizes", BYTES, "--repetitions", 2],
                            env, status)

    def tune(self):
        """A file with at most one rule for every site."""
        rules = self.folder / "rules.json"
        text = self.tutti("tune", "--out", rules, *COLLECTIVES, "--sizes", BYTES, "--kinds", "blocking,nonblocking",
                          "--calls", 1000, "--seconds", 20, "--computation-us", 100, "--", *self.mpirun, env=NODES)
        learned = [rule for rule in json.loads(rules.read_text())["rules"] if "evidence" in rule]
        # A site that still wavers when its calls are over has none.
        if not learned:
            raise Fault(f"nothing was learned\n{text}")
        for rule in learned:
            if rule["ranks"] != [RANKS, RANKS] or rule["nodes"] != [2, 2]:
                raise Fault(f"not the shape of the run: {rule}")
            if f"{rule['use']}: {rule['because'].removeprefix('learned: ')}" not in text:
                raise Fault(f"{rule} is not in what was printed:\n{text}")
        if len(learned) + text.count("nothing new") != 2 * len(COLLECTIVES):
            raise Fault(f"{len(learned)} rules, but this was printed:\n{text}")
        return rules, learned

    def interrupt(self):
        """Ctrl-C where there is no other end: the ranks still come to the point where rules are written. They say so, which
        PRRTE, the launcher of Open MPI 5, does not pass on any more."""
        words = [self.options.tutti, "tune", "--out", self.folder / "interrupted.json", "bcast", "--sizes", BYTES,
                 "--calls", 100_000_000, "--seconds", 1_000_000, "--", *self.mpirun]
        with subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, env=self.environment(NODES)) as run:
            text = ""
            for line in run.stdout:
                text += line
                if "# 1 of 1: blocking bcast 64K" in line:
                    run.send_signal(signal.SIGINT)
            if run.wait(TIMEOUT_S) == 0 or ("TUTTI_LEARN: " not in text and "# tutti tune, Open MPI v5" not in text):
                raise Fault(f"status {run.returncode} after Ctrl-C:\n{text}")

    def use(self, rules, learned):
        """Without trials the file determines how every call is served."""
        report = self.folder / "report.json"
        self.tutti("bench", *COLLECTIVES, "--sizes", BYTES, "--repetitions", 2, "--", *self.mpirun,
                   env={**NODES, "TUTTI_LEARN": str(rules), "TUTTI_TUNE": "off", "TUTTI_REPORT": str(report)})
        calls = {call["collective"]: call for call in json.loads(report.read_text())["calls"]
                 if call["least_bytes"] <= BYTES <= call["most_bytes"]}
        for rule in learned:
            if rule["calls"] != "blocking":
                continue
            choice, call = rule["use"].split("@")[0], calls[rule["collective"]]
            if call["choice"] != choice:
                raise Fault(f"the file says {choice}, the run took {call}")
            if choice != "native" and "learned: " not in call["reason"]:
                raise Fault(f"another reason than the file: {call}")

    def export(self, rules):
        """Exports the learned rules for the MPI alone: it accepts the file, and works."""
        file = self.folder / "exported"
        self.tutti("export", rules, "--to", self.options.mpi, "--out", file)
        self.bench(COLLECTIVES, self.use_of(file))

    def use_of(self, file):
        if self.options.mpi == "mpich":
            return {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": str(file)}
        return {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_dynamic_rules_filename": str(file)}

    def obey_openmpi(self):
        """A spy sees the algorithm at work, and without the file it does not."""
        file = self.exported_bcast("chain:segment=8K")
        spy = ["-x", ":".join([f"LD_PRELOAD={self.options.spy}", *([str(self.options.nap)] if self.options.nap else [])])]
        said = "spy: pipeline with segments of 8192 bytes"
        if said not in self.bench(["bcast"], self.use_of(file), spy)[1]:
            raise Fault("Open MPI does not do what the exported file says")
        if said in self.bench(["bcast"], {}, spy)[1]:
            raise Fault("the spy proves nothing: Open MPI does so without the file")

    def obey_mpich(self):
        """If MPICH's own tree has no rules for broadcasts, only the exported rule can serve them."""
        tree = json.loads(self.exported_bcast("native").read_text())
        tree["collective=bcast"]["comm_type=intra"] = {}
        empty = self.folder / "empty.json"
        empty.write_text(json.dumps(tree))
        if self.bench(["bcast"], self.use_of(empty), status=None)[0] == 0:
            raise Fault("the test proves nothing: MPICH broadcasts without being told how")
        file = self.exported_bcast("knomial:radix=2", "--base", empty)
        self.bench(["bcast"], self.use_of(file))

    def exported_bcast(self, use, *options):
        rules, file = self.folder / "one_rule.json", self.folder / "one_rule.exported"
        rules.write_text(json.dumps({"schema": 1, "rules": [{"collective": "bcast", "use": use}]}))
        self.tutti("export", rules, "--to", self.options.mpi, "--out", file, *options)
        return file

    def all(self):
        rules, learned = self.tune()
        print(f"tuned: {len(learned)} rules", flush=True)
        self.interrupt()
        print("interrupted", flush=True)
        self.use(rules, learned)
        print("used", flush=True)
        self.export(rules)
        print("exported", flush=True)
        self.obey_mpich() if self.options.mpi == "mpich" else self.obey_openmpi()
        print("obeyed", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tutti", required=True, type=Path)
    parser.add_argument("--mpi", required=True, choices=LAUNCHERS)
    parser.add_argument("--bench", required=True, type=Path, help="tutti-bench of that MPI")
    parser.add_argument("--nap", type=Path, help="library that lets waiting ranks sleep")
    parser.add_argument("--spy", type=Path, help="pipeline_spy, for Open MPI")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tutti-", ignore_cleanup_errors=True) as folder:
        try:
            Trial(options, Path(folder)).all()
        except Fault as fault:
            print(f"failed: {fault}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
