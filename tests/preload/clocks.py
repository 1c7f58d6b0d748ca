#!/usr/bin/env python3
"""Clocks of nodes that differ by seconds and drift apart (tools/clock.c): a record's arrivals on the common clock are wrong by
no more than it says. On the virtual cluster, whose nodes have one true clock; in the middle of the run, at its beginning
and at its end.

    vcluster with 3 -- clocks.py BUILD --mpi mpich|openmpi
"""

import argparse
import pathlib
import re
import sys
import tempfile

import record

RANKS = 6


def truth_of(skewed_ns, node):
    """The inverse of tools/clock.c."""
    return (skewed_ns - 3_000_000_000 * node) / (1 + 20e-6 * node)


def node_number(host):
    return int(re.search(r"\d*$", host)[0])


def run(options, folder, every):
    program = [f"{options.build}/bin/alltoall_compute-{options.mpi}", "--sleep", "--unrelated-ms", "100", "--bytes", "4096",
               "--iterations", "60"]
    record.run(options, folder, [*record.LAUNCHERS[options.mpi], "-n", str(RANKS), *program], {"RECORD_CLOCKS": every},
               {"LD_PRELOAD": f"{options.build}/lib/libtutti_test_clock.so"})


def bound_ns(rank, at_ns):
    """The bound guaranteed in docs/recorder.md."""
    samples = rank.description["clock"]
    if rank.description["machine"] == 0:
        return 0
    nearest = min(abs(at_ns - sample["at_ns"]) for sample in samples)
    return max(sample["error_ns"] for sample in samples) + nearest / 1e6


def check(ranks, every):
    """The largest error, in ns."""
    assert len(ranks) == RANKS, f"{len(ranks)} files"
    reference = node_number(ranks[0].description["host"])
    machines = {rank.description["machine"] for rank in ranks}
    assert len(machines) == 3, f"machines {machines}"
    worst = 0
    for rank in ranks:
        node, calls = node_number(rank.description["host"]), list(rank.calls())
        comparisons = len(rank.description["clock"])
        assert len(calls) > 60, "all calls"
        # A comparison that is worse than a straight line would be is left out; those with oneself are not.
        assert comparisons == 2 if every == 0 else comparisons >= (4 if rank.description["machine"] == 0 else 2), \
            f"{comparisons} comparisons"
        for call in calls:
            true_ns = truth_of(call.arrival_ns, node)
            on_reference = true_ns * (1 + 20e-6 * reference) + 3_000_000_000 * reference
            error_ns = abs(rank.common_ns(call.arrival_ns) - on_reference)
            bound = bound_ns(rank, call.arrival_ns) + 1000  # of the arithmetic of floating point
            assert error_ns <= bound, f"rank {rank.number}: off by {error_ns:.0f} ns, not {bound:.0f} at most"
            worst = max(worst, error_ns)
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--mpi", choices=record.LAUNCHERS, required=True)
    options = parser.parse_args()
    options.build = options.build.resolve()
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "src/record/python"))
    import tutti_record  # pylint: disable=import-outside-toplevel
    for every in (0, 1):
        with tempfile.TemporaryDirectory() as folder:
            run(options, folder, every)
            worst = check(tutti_record.read(folder), every)
        print(f"compared {f'every {every} s' if every else 'twice'}: clocks that differ by up to 6 s and 40 parts in a "
              f"million are off by {worst / 1e3:.1f} us at most")


main()
