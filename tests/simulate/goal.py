#!/usr/bin/env python3
"""Schedules that are exported as GOAL, and a program with what else is read, end when an interpreter of the published rules
says, to the picosecond.

    goal.py --tutti build/bin/tutti
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from goal_reference import finish_times  # noqa: E402

SCHEDULES = [
    ("barrier", "dissemination", 13, 0), ("barrier", "tree", 16, 0), ("bcast", "knomial:radix=3", 20, 70000),
    ("bcast", "chain:segment=4K", 7, 30000), ("bcast", "rdaas", 16, 10000), ("reduce", "knomial", 16, 40000),
    ("allreduce", "ring", 8, 100000), ("allreduce", "rabenseifner", 16, 300000), ("allgather", "bruck", 11, 500),
    ("reduce_scatter", "pairwise", 9, 90000), ("alltoall", "linear", 10, 3000), ("alltoall", "pairwise", 8, 200000),
    ("gather", "binomial", 17, 2000), ("scatter", "linear", 9, 100000), ("scan", "recursive_doubling", 10, 800),
    ("written", "by hand", 3, 0),
]
WRITTEN = """num_ranks 3
rank 0 {
send 5000000000b to 1 tag 4294967294
a: calc 70000
a: send 3000b to 2 tag 2147483648
b: recv 9000b from 2 tag 7
b requires a
}
rank 1 {
recv 6000000000b from 0 tag 4294967294
calc 100
}
rank 2 {
send 2000b to 0 tag 7
recv 1000000b from 0 tag 2147483648
}
"""
MACHINES = {
    "loggopsim": {},
    "odd": {"network": {"latency_ns": 1234.567, "overhead_ns": 321.1, "overhead_ns_per_byte": 0.0713, "gap_ns": 77.7,
                        "ns_per_byte": 0.12345, "eager_bytes": 5000}},
}


def run(tutti, *words):
    ended = subprocess.run([tutti, *words], capture_output=True, text=True, timeout=60)
    if ended.returncode != 0:
        sys.exit(f"tutti {' '.join(words)}: {ended.stderr}")
    return ended.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tutti", required=True)
    tutti = parser.parse_args().tutti
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, parts in MACHINES.items():
            machine_file = name
            if parts:
                machine_file = str(Path(folder) / f"{name}.json")
                Path(machine_file).write_text(json.dumps(parts))
            machine = json.loads(run(tutti, "simulate", "--machine", machine_file, "--show-machine"))
            for collective, algorithm, ranks, size in SCHEDULES:
                goal = Path(folder) / "program.goal"
                goal.write_text(WRITTEN if collective == "written" else
                                run(tutti, "schedule", collective, "--algorithm", algorithm, "--ranks", str(ranks),
                                    "--bytes", str(size), "--format", "goal"))
                ours = json.loads(run(tutti, "simulate", "--goal", str(goal), "--machine", machine_file, "--json", "-"))
                theirs = finish_times(goal, machine)
                if ours["ends_ps"] != theirs:
                    failed += 1
                    print(f"{name} {collective} {algorithm}: {ours['ends_ps']}, but the rules say {theirs}")
    print(f"{len(MACHINES) * len(SCHEDULES)} programs, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
