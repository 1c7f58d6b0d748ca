#!/usr/bin/env python3
"""The plugin in the real OpenSM on a large simulated subnet: how long a sweep and joins take, and whether every
packet would arrive. The default is the paper's three-level fat tree with 16,000 hosts.

  cmake --build build/release --target tutti-opensm subnet_probe
  bench/opensm.py --build build/release [--fabric DESCRIPTION] [--groups DESCRIPTION] [--engine tutti|minhop|...]

ibsim keeps 1,024 MLIDs at most. The instrument is a simulation of management packets on one machine: times are
those of OpenSM, the plugin and ibsim together, on the cores that they share.
"""

import argparse
import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(ROOT / "build/release"), help="where Tutti was built")
    parser.add_argument("--fabric", default="fat-tree:ports=40")
    parser.add_argument("--groups", default="grid:125x128")
    parser.add_argument("--engine", default="tutti", help="tutti, or an engine of OpenSM alone")
    parser.add_argument("--options", default="gather=500", help="event_plugin_options")
    parser.add_argument("--table", type=int, default=1024, help="entries of a switch's multicast table")
    return parser.parse_args()


def find_parts(build):
    """Sets the environment variables for tests/opensm/simulation.py, unless they are set already."""
    parts = {"PROBE": f"{build}/bin/subnet_probe", "PLUGIN": f"{build}/lib/libtutti-opensm.so", "IBSIM": "/usr/bin/ibsim",
             "OPENSM": "/usr/sbin/opensm"}
    found = sorted(Path("/usr/lib").glob("*/umad2sim/libumad2sim.so"))
    parts["UMAD2SIM"] = str(found[0]) if found else ""
    for name, path in parts.items():
        path = os.environ.setdefault(name, str(Path(path).absolute()))
        if not Path(path).is_file():
            sys.exit(f"bench/opensm.py: no {name} at {path}")


class Stopwatch:
    def __init__(self):
        self.begin = time.monotonic()

    def lap(self, what):
        now = time.monotonic()
        print(f"{what}: {now - self.begin:.1f} s", flush=True)
        self.begin = now


def main():
    given = options()
    find_parts(given.build)
    sys.path.insert(0, str(ROOT / "tests/opensm"))
    import simulation
    simulation.PATIENCE_S = 1800
    watch = Stopwatch()
    with simulation.Simulation(given.fabric, engine=given.engine, plugin_options=given.options, table=given.table,
                               log_level="0x03") as subnet:
        watch.lap("subnet up")
        groups = subnet.make_groups(given.groups)
        joined = subnet.probe("join", subnet.net, groups, check=False, timeout=3600)
        (subnet.path / "mlids").write_text(joined.stdout)
        watch.lap(f"joins of {len(groups.read_text().splitlines())} groups" + (", some refused" if joined.returncode == 2 else ""))
        if joined.returncode == 0:
            print(subnet.verify(groups, subnet.path / "mlids", given.table))
            watch.lap("tables at rest, read twice and verified")
        subnet.sweep()
        watch.lap("heavy sweep")
        print(f"OpenSM: {simulation.resident_kib(subnet.opensm.pid) // 1024} MiB")


main()
