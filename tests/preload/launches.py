#!/usr/bin/env python3
"""`tutti run` on launch lines with commands in front of the launcher or the program: each is served. What is not served
gets one line that says why. Meanwhile the command behaves as the launcher itself would: signals, stops, exit statuses.

    launches.py --tutti build/bin/tutti --programs build/bin
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LAUNCHERS = {"mpich": ["mpirun.mpich"], "openmpi": ["mpirun.openmpi", "--oversubscribe"]}
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
NOBODY = 65534
TIMEOUT_S = 120

# A launcher stand-in that ends quickly where an MPI takes long.
STANDS_IN = """#!/bin/sh
trap 'echo asked; exit 3' TERM
trap 'echo used' USR1
echo $$ > "$PID_FILE.new" && mv "$PID_FILE.new" "$PID_FILE"
while :; do sleep 0.05; done
"""


def is_alive(process_id):
    """A process that has not been waited for yet is dead all the same."""
    try:
        return Path(f"/proc/{process_id}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def environment(**more):
    env = {name: value for name, value in os.environ.items() if not name.startswith(("TUTTI", "_TUTTI"))}
    return {**env, **AS_ROOT, **more}


class Tests:
    def __init__(self, tutti, programs, folder):
        self.tutti, self.programs, self.folder = tutti, programs, folder
        self.failures = 0
        self.wrapper = self.script("wrap.sh", "#!/bin/sh\nexec \"$@\"\n")
        self.cleaner = self.script("clean.sh", "#!/bin/sh\nunset LD_PRELOAD\nexec \"$@\"\n")

    def script(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o700)
        return str(path)

    def program(self, name, mpi):
        return str(self.programs / f"{name}-{mpi}")

    def run(self, words, *options):
        return subprocess.run([self.tutti, "run", *options, "--", *words], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="replace", timeout=TIMEOUT_S, check=False, env=environment())

    def judge(self, name, faults, run=None):
        faults = [fault for fault in faults if fault]
        self.failures += bool(faults)
        print(f"{'failed' if faults else 'passed'}  {name}", *faults, sep="\n  ")
        if faults and run is not None:
            print(run.stdout, run.stderr, sep="\n")

    def expect_served(self, name, words, jobs=1):
        run = self.run(words)
        ours = [line for line in run.stderr.splitlines() if line.startswith("tutti: ")]
        self.judge(name, [run.returncode != 0 and f"status {run.returncode}",
                          run.stdout.count("0 failed") != jobs and "a program did not end well",
                          sum("collective that Tutti could" in line or "Tutti served " in line for line in ours) != jobs
                          and "not every job has a report",
                          "served nothing" in run.stderr and "a job was not served"], run)

    def expect_reason(self, name, words, reason, status=0):
        report = self.folder / "report.json"
        run = self.run(words, "--report", str(report))
        lines = [line for line in run.stderr.splitlines() if line.startswith("tutti: ")]
        self.judge(name, [run.returncode != status and f"status {run.returncode}",
                          len(lines) != 1 and "there is not one line",
                          not (lines and "Tutti served nothing" in lines[0] and reason in lines[0]) and "another reason",
                          not (lines and f"there is no report in {report}" in lines[0]) and "nothing about the report",
                          report.exists() and "a report after all"], run)
        report.unlink(missing_ok=True)

    def start(self):
        """Tutti with a launcher that is none, and the launcher's process."""
        pid_file = self.folder / "pid"
        pid_file.unlink(missing_ok=True)
        launcher = self.script("mpirun.mpich", STANDS_IN)
        process = subprocess.Popen([self.tutti, "run", "--mpi", "mpich", "--", launcher, "-n", "1", "true"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=environment(PID_FILE=str(pid_file)), start_new_session=True)
        for _ in range(TIMEOUT_S * 20):
            if pid_file.exists() or process.poll() is not None:
                break
            time.sleep(0.05)
        return process, int(pid_file.read_text())

    def test_prefixes(self):
        for mpi, launcher in LAUNCHERS.items():
            rooted = self.program("rooted", mpi)
            self.expect_served(f"{mpi}: a wrapper behind a command", ["timeout", "60", *launcher, "-n", "2", self.wrapper, rooted])
            self.expect_served(f"{mpi}: commands on both sides",
                               ["nice", "env", "A=b", *launcher, "-n", "2", "env", "-u", "A", "stdbuf", "-oL", rooted])
            self.expect_served(f"{mpi}: two parts", ["timeout", "60", *launcher, "-n", "1", rooted, ":", "-n", "1", "nice", rooted])
            parts = self.folder / "parts"
            parts.write_text(f"-n 1 {rooted}\n-n 1 {rooted}\n")
            of_file = [*launcher, "-configfile" if mpi == "mpich" else "--app", str(parts)]
            self.expect_served(f"{mpi}: programs of a file", of_file)
            setting = "-env OWN 1" if mpi == "mpich" else "-x OWN=1"
            parts.write_text(f"# two parts\n\n-n 1 {setting} env SOME=thing {rooted} # the first\n-n 1 {setting} {rooted}\n")
            report = self.folder / "semi;colon and space.json"
            run = self.run(of_file, "--report", str(report))
            self.judge(f"{mpi}: a file with settings of its own, and a setting with a semicolon",
                       [run.returncode != 0 and f"status {run.returncode}",
                        "0 failed" not in run.stdout and "a program did not end well",
                        not report.exists() and f"there is no {report}"], run)
            report.unlink(missing_ok=True)
            if mpi == "openmpi":
                with_list = [*launcher, "--mca", "mca_base_env_list", "A=b;C=d"]
                self.expect_served("openmpi: a list of variables", [*with_list, "-n", "1", rooted, ":", "-n", "1", rooted])
                self.expect_served("openmpi: a list of variables, and a file", [*with_list, "--app", str(parts)])
            script = self.script("job.sh", "#!/bin/sh\n" + " ".join([*launcher, "-n", "2", rooted]) + "\n")
            self.expect_served(f"{mpi}: a script", ["timeout", "-k", "5", "60", script])
            self.expect_served(f"{mpi}: a shell", ["setsid", "-w", "sh", script])
            taker = self.script("take.sh", '#!/bin/sh\nstarter=$1 program=$2\nshift 2\n"$starter" "$@" -n 2 "$program"\n')
            self.expect_served(f"{mpi}: a script that is given launcher and program", [taker, launcher[0], rooted, *launcher[1:]])
            self.expect_served(f"{mpi}: a command that is not known", ["xargs", "-n", "9", "-a", os.devnull, *launcher, "-n", "2", rooted])

    def test_reasons(self):
        for mpi, launcher in LAUNCHERS.items():
            line, rooted = [*launcher, "-n", "2"], self.program("rooted", mpi)
            self.expect_reason(f"{mpi}: env -u", [*line, "env", "-u", "LD_PRELOAD", rooted], f"env -u LD_PRELOAD in front of {rooted}")
            self.expect_reason(f"{mpi}: a script that unsets it", [*line, self.cleaner, rooted], "LD_PRELOAD was taken")
            self.expect_reason(f"{mpi}: by a handle", [*line, self.program("by_handle", mpi)], "dlopen and dlsym")
        line = [*LAUNCHERS["mpich"], "-n", "2"]
        self.expect_reason("no MPI program", [*line, "sh", "-c", "exit 0"], "sh is not linked with an MPI")
        if os.geteuid() == 0:
            other = self.folder / "setuid"
            shutil.copy("/bin/true", other)
            os.chown(other, NOBODY, NOBODY)
            other.chmod(0o4755)
            self.expect_reason("setuid", [*line, str(other)], "has other rights than its user")

    def test_signals(self):
        process, _ = self.start()
        process.send_signal(signal.SIGUSR1)
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=TIMEOUT_S)
        self.judge("signals are handed on", [out != "used\nasked\n" and f"it printed {out!r}",
                                             process.returncode != 3 and f"status {process.returncode}",
                                             "served nothing" in err and "an interrupted job is judged"])

        process, child = self.start()
        os.kill(child, signal.SIGKILL)
        process.communicate(timeout=TIMEOUT_S)
        self.judge("a signal that ends the launcher ends the command",
                   [process.returncode != -signal.SIGKILL and f"status {process.returncode}"])

        process, child = self.start()
        os.kill(child, signal.SIGSTOP)
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        os.kill(process.pid, signal.SIGCONT)
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=TIMEOUT_S)
        self.judge("it stops and goes on with the launcher",
                   [not os.WIFSTOPPED(status) and "it has not stopped", out != "asked\n" and f"it printed {out!r}",
                    process.returncode != 3 and f"status {process.returncode}"])

        process, child = self.start()
        process.kill()
        process.communicate(timeout=TIMEOUT_S)  # the launcher holds the pipe
        self.judge("SIGKILL takes the launcher along", [is_alive(child) and "it is still there"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tutti", required=True)
    parser.add_argument("--programs", type=Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        tests = Tests(options.tutti, options.programs.resolve(), Path(folder))
        tests.test_prefixes()
        tests.test_reasons()
        tests.test_signals()
    return 1 if tests.failures else 0


if __name__ == "__main__":
    sys.exit(main())
