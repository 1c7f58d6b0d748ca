"""A subnet that is not there: ibsim's switches, and the real OpenSM that manages them."""

import ctypes
import os
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path

PROBE, PLUGIN, IBSIM, OPENSM, UMAD2SIM = (os.environ[name] for name in ("PROBE", "PLUGIN", "IBSIM", "OPENSM", "UMAD2SIM"))
PATIENCE_S = 60
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)


def probe(*words, **options):
    """Runs a probe that needs no subnet, and returns what it prints."""
    return subprocess.run([PROBE, *map(str, words)], check=True, capture_output=True, text=True, **options).stdout


def end_with_parent():
    """Called in a child process before exec: the child does not outlive a test that is killed."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Simulation:
    """`with Simulation("torus:size=4x4,hosts=2") as subnet:` ends everything that it started."""

    def __init__(self, description, engine="tutti", plugin_options="", table=1024, configuration=(), wrapper=(),
                 log_level="0x43"):
        self.engine, self.plugin_options, self.table = engine, plugin_options, table
        self.configuration, self.wrapper, self.log_level = list(configuration), list(wrapper), log_level
        self.folder = tempfile.TemporaryDirectory(prefix="tutti-opensm-")
        self.path = Path(self.folder.name)
        self.net = self.path / "net"
        self.net.write_text(probe("net", description))
        self.environment = dict(os.environ, IBSIM_SOCKNAME=f"tutti-{os.getpid()}-{id(self)}", OSM_CACHE_DIR=str(self.path),
                                OSM_TMP_DIR=str(self.path),
                                # OpenSM and the probe run on the first host, not on a switch.
                                SIM_HOST=re.search(r'^H?[Cc]a\s+\d+\s+"(\S+)"', self.net.read_text(), re.M).group(1))
        self.environment["LD_LIBRARY_PATH"] = f"{Path(PLUGIN).parent}:{os.environ.get('LD_LIBRARY_PATH', '')}"
        self.ibsim = self.opensm = None

    def __enter__(self):
        try:
            self.start_switches()
            self.start_opensm()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.stop_opensm()
        if self.ibsim:
            end(self.ibsim)
        self.folder.cleanup()

    # --- the switches ---

    def start_switches(self):
        text = self.net.read_text()
        switches = len(re.findall(r"^Switch\s", text, re.M))
        hosts = len(re.findall(r"^H?[Cc]a\s", text, re.M))
        ports = sum(int(count) + 1 for count in re.findall(r"^(?:Switch|H?[Cc]a)\s+(\d+)", text, re.M)) + 100
        lids = switches + hosts + 100
        self.ibsim = subprocess.Popen(
            [IBSIM, "-s", "-N", str(switches + hosts + 10), "-S", str(switches + 10), "-P", str(ports), "-M", str(self.table), "-L",
             str(lids), str(self.net)],
            stdin=subprocess.PIPE, stdout=open(self.path / "ibsim.log", "w"), stderr=subprocess.STDOUT, env=self.environment,
            text=True, cwd=self.path, preexec_fn=end_with_parent)
        time.sleep(0.5)

    def command(self, line):
        """A command of ibsim's console, like 'Unlink "S-0010000000000001"[3]'."""
        self.ibsim.stdin.write(line + "\n")
        self.ibsim.stdin.flush()
        time.sleep(0.2)

    # --- OpenSM ---

    def start_opensm(self):
        lines = [f"routing_engine {self.engine}", "sweep_interval 0", f"dump_files_dir {self.path}", "console off",
                 "max_wire_smps 4", "transaction_timeout 2000", "force_log_flush TRUE", *self.configuration]
        if self.engine == "tutti":
            lines += ["event_plugin_name tutti-opensm", f"event_plugin_options {self.plugin_options}"]
        (self.path / "opensm.conf").write_text("\n".join(lines) + "\n")
        self.log().unlink(missing_ok=True)
        self.opensm = subprocess.Popen(
            [*self.wrapper, OPENSM, "-F", str(self.path / "opensm.conf"), "-D", self.log_level, "-f", str(self.log())],
            stdin=subprocess.DEVNULL, stdout=open(self.path / "opensm.out", "w"), stderr=subprocess.STDOUT,
            env=dict(self.environment, LD_PRELOAD=UMAD2SIM), cwd=self.path, preexec_fn=end_with_parent)
        self.wait_for_log("SUBNET UP")

    def start_standby(self, host):
        """A second OpenSM, of lower priority, on another host."""
        folder = self.path / "standby"
        folder.mkdir()
        (folder / "log-levels").write_text("osm_sm_state_mgr.c 0x47\nosm_sminfo_rcv.c 0x4b\n")  # what Standby.polls() reads
        configuration = (self.path / "opensm.conf").read_text().replace(f"dump_files_dir {self.path}", f"dump_files_dir {folder}")
        (folder / "opensm.conf").write_text(f"{configuration}sm_priority 1\nper_module_logging_file {folder}/log-levels\n")
        environment = dict(self.environment, LD_PRELOAD=UMAD2SIM, SIM_HOST=host, OSM_CACHE_DIR=str(folder), OSM_TMP_DIR=str(folder))
        log = folder / "opensm.log"
        process = subprocess.Popen([OPENSM, "-F", str(folder / "opensm.conf"), "-D", "0x43", "-f", str(log)], stdin=subprocess.DEVNULL,
                                   stdout=open(folder / "out", "w"), stderr=subprocess.STDOUT, env=environment, cwd=folder,
                                   preexec_fn=end_with_parent)
        return Standby(process, log)

    def stop_opensm(self):
        """Returns OpenSM's exit status."""
        if not self.opensm:
            return None
        opensm, self.opensm = self.opensm, None
        return end(opensm)

    def log(self):
        return self.path / "opensm.log"

    def log_text(self):
        return self.log().read_text(errors="replace") if self.log().exists() else ""

    def wait_for_log(self, text, times=1):
        until = time.monotonic() + PATIENCE_S * (10 if self.wrapper else 1)
        while self.log_text().count(text) < times:
            if self.opensm.poll() is not None:
                raise AssertionError(f"OpenSM ended with {self.opensm.returncode}: {(self.path / 'opensm.out').read_text()[-2000:]}")
            if time.monotonic() > until:
                raise AssertionError(f"OpenSM does not log '{text}':\n{self.log_text()[-2000:]}")
            time.sleep(0.1)

    def sweep(self):
        """A heavy sweep, and the end of it."""
        before = self.log_text().count("SUBNET UP")
        self.opensm.send_signal(signal.SIGHUP)
        self.wait_for_log("SUBNET UP", before + 1)

    # --- programs on the subnet ---

    def probe(self, *words, check=True, timeout=120):
        done = subprocess.run([PROBE, *map(str, words)], capture_output=True, text=True, timeout=timeout,
                              env=dict(self.environment, LD_PRELOAD=UMAD2SIM), cwd=self.path)
        if check and done.returncode:
            raise AssertionError(done.stderr.strip())
        return done

    def make_groups(self, description, name="groups"):
        path = self.path / name
        path.write_text(probe("groups", self.net, description))
        return path

    def join(self, groups, window=40):
        """Joins all groups, and returns the file of what they were told."""
        mlids = self.path / "mlids"
        mlids.write_text(self.probe("join", self.net, groups, window).stdout)
        return mlids

    def tables(self, net=None):
        """Reads the switches until two readings are the same: OpenSM writes them some time after it answers."""
        dump, last = self.path / "dump", None
        until = time.monotonic() + PATIENCE_S
        while True:
            text = self.probe("tables", net or self.net).stdout
            if text == last:
                dump.write_text(text)
                return dump
            if time.monotonic() > until:
                raise AssertionError("the tables never come to rest")
            last = text
            time.sleep(0.7)

    def verify(self, groups, mlids, limit, net=None):
        """Reads the tables back and checks every delivery; returns the metrics that the probe prints."""
        dump = self.tables(net)
        return self.probe("verify", net or self.net, groups, mlids, dump, limit).stdout.strip()


class Standby:
    """An OpenSM that polls the master once a second, and takes over when the master no longer answers."""

    def __init__(self, process, log):
        self.process, self.log = process, log

    def wait_for_log(self, text):
        wait_for_text(self.log, text)

    def pause_between_polls(self):
        """Stops the process while no poll waits for an answer.

        Clients of ibsim have no time-outs. A poll that the master receives but does not answer because it ends is
        waited for for ever, by the sweep of the take-over too. On real hardware it times out.
        """
        until = time.monotonic() + PATIENCE_S
        while True:
            self.process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            if self.process.poll() is not None:
                raise AssertionError(f"the standby ended with {self.process.returncode}")
            sent, answered = self.polls()
            if sent == answered:
                return
            self.resume()
            if time.monotonic() > until:
                raise AssertionError(f"the master has answered {answered} of {sent} polls")
            time.sleep(0.1)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def polls(self):
        """Number of polls sent since it is a standby, and number of answers."""
        log = self.log.read_text(errors="replace").partition("Entering STANDBY state")[2]
        return 1 + log.count("(STANDBY), Retry number"), log.count("SMInfo dump")  # the first one is not logged

    def end(self):
        self.resume()
        return end(self.process)


def resident_kib(pid):
    return int(re.search(r"VmRSS:\s*(\d+)", Path(f"/proc/{pid}/status").read_text()).group(1))


def wait_for_text(path, text):
    until = time.monotonic() + PATIENCE_S
    while not path.exists() or text not in path.read_text(errors="replace"):
        if time.monotonic() > until:
            raise AssertionError(f"{path.name} never says '{text}'")
        time.sleep(0.1)


def end(process):
    """Ends a process that this script started."""
    if process.stdin:
        process.stdin.close()
    if process.poll() is None:
        process.terminate()
    try:
        return process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()
