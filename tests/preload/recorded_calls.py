#!/usr/bin/env python3
"""What a record has of each kind of call: Fortran's bindings by the place in the program, persistent collectives that the
native MPI serves start by start, blocking calls that return early with the end of their operation, waits for messages
with their peers.

    recorded_calls.py BUILD --mpi mpich|openmpi
"""

import argparse
import os
import pathlib
import sys
import tempfile

import record as recording
from run import version_of

RANKS = 3


def record(options, program, settings, *arguments):
    """The calls of each rank."""
    with tempfile.TemporaryDirectory() as folder:
        recording.run(options, folder, [*recording.LAUNCHERS[options.mpi], "-n", str(RANKS),
                                        f"{options.build}/{program}-{options.mpi}", *arguments], settings, {})
        ranks = options.reader.read(folder)
        assert len(ranks) == RANKS, f"{len(ranks)} files"
        options.waits = [list(rank.waits()) for rank in ranks]
        return [list(rank.calls()) for rank in ranks]


def fortran_places(options):
    for program in ("fortran_mpif", "fortran_mpi", "fortran_mpi_f08", "nonblocking_f08"):
        for calls in record(options, f"tests/preload/{program}", {}):
            modules = {pathlib.Path(call.place["module"]).name for call in calls}
            assert modules == {f"{program}-{options.mpi}"}, f"{program}: calls from {modules}"
            places = {call.place["offset"] for call in calls}
            assert len(places) > 4, f"{program}: {len(places)} places"


def native_persistent(options):
    """tests/preload/c/native_persistent.c: two requests, 30 starts each. MPICH 4.0.2 refuses the start after an
    MPI_Waitany, which takes no place then: every third. MPICH 4.2.1 does not."""
    count = 20 if (options.mpi, version_of(options.mpi)) == ("mpich", "4.0") else 30
    for calls in record(options, "bin/native_persistent", {"BARRIER": "native"}):
        starts = [call for call in calls if call.interface == "persistent"]
        assert sorted(call.sequence for call in starts) == sorted([*range(count)] * 2), f"{len(starts)} starts"
        assert all(call.collective == "barrier" and call.choice == "native" for call in starts)
        assert all(call.whole_ns is not None for call in starts), "a start has no end"


def early_calls(options):
    settings = {"OVERLAP": "on", "OVERLAP_BYTES": "4K", "NODES": "0,1,2", "ALLTOALL": "ring"}
    long_after = 0
    for calls in record(options, "bin/alltoall_compute", settings, "--bytes", "1048576", "--iterations", "8",
                        "--unrelated-ms", "20", "--sleep"):
        assert all(call.whole_ns >= call.inside_ns for call in calls if call.interface == "blocking")
        long_after += sum(call.whole_ns > call.inside_ns for call in calls)
    assert long_after > 0, "no operation ended after its call"


def messages(options):
    """tests/preload/c/planted.c: each rank has two neighbours, or receives from the rank below."""
    for kind, call in (("halo", "wait"), ("persistent", "wait"), ("exchange", "sendrecv"), ("chain", "recv")):
        record(options, "bin/planted", {}, kind, "8")
        peers = [{wait.peer for wait in waits if wait.call == call} for waits in options.waits]
        assert any(peers), f"{kind}: no waits"
        for rank, found in enumerate(peers):
            below, above = (rank - 1) % RANKS, (rank + 1) % RANKS
            assert found <= ({below, above} if call == "wait" else {below}), f"{kind}: {rank} waits for {found}"
            assert call != "recv" or rank == 0 or found, f"{kind}: rank {rank} does not wait"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--mpi", choices=recording.LAUNCHERS, required=True)
    options = parser.parse_args()
    options.build = options.build.resolve()
    os.environ["TUTTI_VERBOSE"] = "0"
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "src/record/python"))
    import tutti_record  # pylint: disable=import-outside-toplevel
    options.reader = tutti_record
    for case in (fortran_places, native_persistent, early_calls, messages):
        case(options)
        print(f"ok: {case.__name__}", flush=True)


main()
