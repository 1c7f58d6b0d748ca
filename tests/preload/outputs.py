#!/usr/bin/env python3
"""What a run leaves behind: its report and what it learned, wherever the program goes, however the run ends, and nothing
half written.

    outputs.py --tutti build/bin/tutti --programs build/bin --mpi mpich
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from run import version_of

LAUNCHERS = {"mpich": ["mpirun.mpich"], "openmpi": ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none"]}
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
TIMEOUT_S = 240


class Trial:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.mpirun = [*LAUNCHERS[options.mpi], "-n", "2"]
        self.program = str(options.programs.resolve() / f"stays-{options.mpi}")
        self.elsewhere = folder / "elsewhere"
        self.elsewhere.mkdir()
        self.env = {name: value for name, value in os.environ.items() if not name.startswith("TUTTI")} | AS_ROOT
        self.env |= {"TUTTI_NODES": "0,1", "TUTTI_LINKS": "slow", "TMPDIR": str(folder)}

    def tutti(self, *words):
        return subprocess.run([self.options.tutti, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", timeout=TIMEOUT_S, check=False, env=self.env, cwd=self.folder)

    def job(self):
        return [*self.mpirun, self.program, self.elsewhere, "50"]

    def report(self, name):
        """Number of broadcasts in the report."""
        calls = json.loads((self.folder / name).read_text())["calls"]
        return sum(call["calls"] for call in calls if call["collective"] == "bcast")

    def check_folder(self, *expected):
        found = {path.name for path in self.folder.rglob("*.json*")}
        assert found == set(expected), f"left behind: {found}"
        for path in self.folder.rglob("*.json*"):
            path.unlink()

    def relative_names(self):
        """They mean the folder of the command, not that of the program."""
        run = self.tutti("run", "--report", "report.json", "--learn", "rules.json", "--", *self.job())
        assert run.returncode == 0, run.stderr
        assert "tutti: TUTTI_LEARN: " in run.stderr, f"the run does not say what it kept\n{run.stderr}"
        assert self.report("report.json") == 50
        kept = ["rules.json", "rules.json.lock"] if (self.folder / "rules.json").exists() else ["rules.json.lock"]
        self.check_folder("report.json", *(kept if (self.folder / kept[0]).exists() else []))

    def standard_output(self):
        run = self.tutti("run", "--report", "-", "--", *self.job())
        assert run.returncode == 0, run.stderr
        assert json.loads(run.stdout[run.stdout.index("{"):run.stdout.rindex("}") + 1])["ranks"] == 2
        self.check_folder()

    def scripts(self):
        line = " ".join(map(str, self.job()))
        script = self.folder / "job.sh"
        script.write_text(f"{line}\ncd /\n{line}\nexit 7\n")
        run = self.tutti("run", "--report", "report.json", "--", "sh", script)
        assert run.returncode == 7, run.stderr
        assert "2 MPI jobs of this command; their reports: " in run.stderr, run.stderr
        assert self.report("report.json") == self.report("report.2.json") == 50
        self.check_folder("report.json", "report.2.json")
        script.write_text(f"{Path(shutil.which(self.mpirun[0])).parent}/{line}\nkill -TERM $$\n")
        run = self.tutti("run", "--", "sh", script)
        assert run.returncode == -signal.SIGTERM, f"the script's end is not the command's: {run.returncode}"
        assert "no MPI job of this command ran under Tutti" in run.stderr, run.stderr

    def overlapped(self, *words):
        """An all-to-all whose result is used from its end."""
        program = self.options.programs.resolve() / f"alltoall_compute-{self.options.mpi}"
        run = self.tutti("run", *words, "--set", "OVERLAP_BYTES=64K", "--", *self.mpirun, program, "--bytes", 1 << 20,
                         "--unrelated-ms", 0, "--related-ms", 60, "--sleep", "--backward", "--iterations", 6)
        assert run.returncode == 0 and "wrong=0" in run.stdout, run.stdout + run.stderr

    def accesses(self):
        """Records the first accesses; the calls that return early learn from them."""
        self.overlapped("--set", "OVERLAP=trace", "--set", "OVERLAP_FOLDER=access", "--report", "none")
        shown = self.tutti("access", "access", "--svg", "access.svg")
        assert shown.returncode == 0, shown.stderr
        assert "2 ranks of 2 left a trace" in shown.stdout and "alltoall of 1M, 7 calls" in shown.stdout, shown.stdout
        best = [line for line in shown.stdout.splitlines() if line.endswith("best")]
        assert [line.split()[0] for line in best] == ["direction=backward:stride=1"], shown.stdout
        assert (self.folder / "access.svg").read_text().endswith("</svg>\n")
        self.check_folder("access.0.json", "access.1.json")
        self.overlapped("--set", "OVERLAP=on", "--set", "TUNE=off", "--report", "report.json")
        choices = {call["choice"] for call in json.loads((self.folder / "report.json").read_text())["calls"]}
        assert "ordered:direction=backward@early" in choices, choices
        self.check_folder("report.json")
        missing = self.tutti("access", "nowhere")
        assert missing.returncode == 2 and missing.stderr.count("\n") == 1, missing.stderr

    def spawned(self):
        """The report is that of the ranks that were launched, not of those that they start."""
        program = str(self.options.programs.resolve() / f"spawned-{self.options.mpi}")
        env = {name: value for name, value in self.env.items() if name != "TUTTI_NODES"}
        words = [self.options.tutti, "run", "--report", "report.json", "--", *self.mpirun, program]
        run = subprocess.run(list(map(str, words)), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             errors="replace", timeout=TIMEOUT_S, check=False, env=env, cwd=self.folder)
        assert run.returncode == 0, run.stdout + run.stderr
        assert json.loads((self.folder / "report.json").read_text())["ranks"] == 2
        self.check_folder("report.json")

    def passing(self):
        """Calls on communicators that Tutti does not serve are counted all the same."""
        program = str(self.options.programs.resolve() / f"intercommunicator-{self.options.mpi}")
        run = self.tutti("run", "--report", "report.json", "--", *self.mpirun, program)
        assert run.returncode == 0, run.stdout + run.stderr
        assert json.loads((self.folder / "report.json").read_text())["passed_through"] > 0
        self.check_folder("report.json")

    def children(self):
        """A program that a rank starts is no rank: it runs without Tutti, also one of the other MPI."""
        program = str(self.options.programs.resolve() / f"starts_program-{self.options.mpi}")
        other = next(mpi for mpi in LAUNCHERS if mpi != self.options.mpi)
        for child in ("echo \"preloads '$LD_PRELOAD'\"",
                      *(f"exec env -u PMI_FD -u PMI_RANK -u PMI_SIZE {' '.join(LAUNCHERS[mpi])} -n 2 "
                        f"{self.options.programs.resolve()}/barriers-{mpi}" for mpi in (self.options.mpi, other)
                        if shutil.which(LAUNCHERS[mpi][0]))):
            line = [*self.mpirun[:-1], "1", program, child]
            native = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                                    timeout=TIMEOUT_S, check=False, env=self.env)
            run = self.tutti("run", "--report", "none", "--", *line)
            assert (run.returncode, run.stdout) == (native.returncode, native.stdout), (
                f"{child}\n{native.stdout}{native.stderr}\nunder Tutti:\n{run.stdout}{run.stderr}")
            assert "tutti: " not in run.stderr, run.stderr

    def refusals(self):
        """Errors before any program is started."""
        bench = ["bench", "bcast", "--sizes", "8", "--repetitions", "1"]
        for words in (["run", "--report", "none/report.json", "--", *self.job()],
                      ["run", "--set", "REPORT=none/report.json", "--", *self.job()],
                      ["run", "--learn", "none/rules.json", "--", *self.job()],
                      ["tune", "--out", "rules.json", "--report", "none/report.json", "--", *self.mpirun],
                      [*bench, "--csv", "none/table", "--", *self.mpirun], [*bench, "--json", "none/table", "--", *self.mpirun],
                      ["bench", "--overlap", "bcast", "--json", "none/table", "--", *self.mpirun]):
            run = self.tutti(*words)
            assert run.returncode != 0 and run.stdout == "", f"{words}: {run.returncode} {run.stdout}"
            assert "cannot write " in run.stderr and "No such file or directory" in run.stderr, f"{words}: {run.stderr}"
        self.check_folder()

    def termination(self):
        """The rank is told to end, as at the end of a batch job's time."""
        # That of MPICH 4.2 returns 0 natively, too, in one of a dozen runs.
        has_launcher_status = (self.options.mpi, version_of(self.options.mpi)) != ("mpich", "4.2")
        for report in ("report.json", "summary"):
            words = [self.options.tutti, "run", "--report", report, "--learn", "rules.json", "--", *self.mpirun, self.program,
                     str(self.elsewhere)]
            with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  errors="replace", env=self.env, cwd=self.folder) as run:
                rank = int(run.stdout.readline().split()[-1])
                os.kill(rank, signal.SIGTERM)
                _, errors = run.communicate(timeout=TIMEOUT_S)
            assert run.returncode != 0 or not has_launcher_status, "the signal has no effect"
            if report == "summary":
                assert "tutti: bcast " in errors, errors
            else:
                assert self.report(report) == 200, errors
            assert "tutti: TUTTI_LEARN: " in errors, errors
        for path in self.folder.rglob("*.json*"):
            path.unlink()

    def all(self):
        steps = [self.relative_names, self.standard_output, self.scripts, self.passing, self.children, self.refusals,
                 self.termination, self.accesses]
        # MPICH over UCX has no spawn, and Open MPI 5.0's does not end by itself.
        if self.options.mpi == "openmpi" and version_of("openmpi") != "5.0":
            steps.append(self.spawned)
        for step in steps:
            step()
            print(f"passed  {step.__name__}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tutti", required=True, type=Path)
    parser.add_argument("--mpi", required=True, choices=LAUNCHERS)
    parser.add_argument("--programs", required=True, type=Path)
    options = parser.parse_args()
    options.tutti = options.tutti.resolve()
    with tempfile.TemporaryDirectory(prefix="tutti-", ignore_cleanup_errors=True) as folder:
        Trial(options, Path(folder)).all()
    return 0


if __name__ == "__main__":
    sys.exit(main())
