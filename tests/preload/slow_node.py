#!/usr/bin/env python3
"""A node of the virtual cluster that gets little of a processor, by a control group: the report names it.

    vcluster with 4 --rate none -- slow_node.py BUILD --mpi mpich|openmpi [--repeat N] [--attempts N]
"""

import argparse
import os
import pathlib
import re
import sys
from functools import partial

import record

SLOW_NODE = 2
GROUPS = pathlib.Path("/sys/fs/cgroup")
PERIOD_US, QUOTA_US = 100_000, 2_000
SKIPPED = 77
# Each rank, before it becomes the program: those of the slow node enter the group.
ENTER = 'case $(hostname) in *[!0-9]{node}) echo $$ > {group}/cgroup.procs ;; esac; exec "$@"'


class Group:
    """A control group with a limit. Raises OSError where there can be none."""

    def __init__(self, name):
        is_first_version = (GROUPS / "cpu/cpu.cfs_quota_us").exists()
        self.path = (GROUPS / "cpu" if is_first_version else GROUPS) / name
        self.limits = ({"cpu.cfs_period_us": PERIOD_US, "cpu.cfs_quota_us": QUOTA_US} if is_first_version
                       else {"cpu.max": f"{QUOTA_US} {PERIOD_US}"})

    def make(self):
        self.path.mkdir()
        try:
            for name, limit in self.limits.items():
                (self.path / name).write_text(str(limit))
        except OSError:
            self.path.rmdir()
            raise

    def remove(self):
        self.path.rmdir()


def names_the_node(options, group, folder):
    program = [f"{options.build}/bin/alltoall_compute-{options.mpi}", "--unrelated-ms", "10", "--bytes", "512",
               "--warm-up", "1", "--iterations", "10"]
    line = [*record.LAUNCHERS[options.mpi], "-n", "8", "sh", "-c", ENTER.format(node=SLOW_NODE, group=group.path),
            "rank", *program]
    record.run(options, folder, line, {"TUNE": "off", "PROGRESS": "inline", "WAIT": "sleep"}, {})
    found = record.report(options, folder)
    slow = {node["node"] for node in found["nodes"] if re.fullmatch(rf".*\D{SLOW_NODE}", node["host"])}
    return len(slow) == 1 and record.has(found, "slow_node", node=slow.pop()), found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--mpi", choices=record.LAUNCHERS, required=True)
    record.add_repetitions(parser)
    options = parser.parse_args()
    options.build = options.build.resolve()
    group = Group(f"tutti-slow-node-{os.getpid()}")
    try:
        group.make()
    except OSError as error:
        print(f"no control group for processors here: {error}")
        sys.exit(SKIPPED)
    try:
        wrong = record.count_wrong(options, {"slow_node_by_group": partial(names_the_node, options, group)})
    finally:
        group.remove()
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
