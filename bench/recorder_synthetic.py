#!/usr/bin/env python3
"""Makes the record of a run that never was, to see how `tutti report` copes with large ones.

    recorder_synthetic.py FOLDER [--ranks 1024] [--calls 10000] [--slow-rank 7]
"""

import argparse
import array
import json
import pathlib
import random
import struct

PACKED_ROOT = 0xFFFFFFFF


def header(options, rank):
    places = [{"module": "/opt/app/solver", "function": f"step_{i}", "offset": 4096 + 64 * i} for i in range(6)]
    collectives = ["allreduce", "bcast", "barrier", "alltoall", "reduce", "allgather"]
    return {"run": 1, "rank": rank, "ranks": options.ranks, "node": rank // 32, "nodes": (options.ranks + 31) // 32,
            "machine": rank // 32, "host": f"n{rank // 32:03}", "program": "/opt/app/solver", "mpi": "synthetic",
            "job": "", "started_unix_s": 1, "began_ns": 0, "ended_ns": 1_100_000 * options.calls,
            "ended_by": "MPI_Finalize", "clock": [{"at_ns": 0, "offset_ns": 0, "error_ns": 2000}], "sampled_every": 1,
            "keeps": "newest", "taken": options.calls, "records": options.calls, "communicators_left_out": 0, "record": [], "chain": [],
            "places": places,
            "communicators": [{"name": "MPI_COMM_WORLD", "number": 0, "generation": 0, "rank": rank,
                               "members": [[0, options.ranks, 1]]}],
            "rows": [{"place": i, "communicator": 0, "stream": 0, "collective": collectives[i], "interface": "blocking",
                      "choice": "native", "reason": "made up"} for i in range(len(places))],
            "selection": "{}"}


def records(options, rank, rows):
    """Call after call, 1 ms apart; each rank is late at random, the slow one always."""
    draw = random.Random(rank)
    words = array.array("Q")
    slow_ns = 400_000 if rank == options.slow_rank else 0
    for call in range(options.calls):
        late_ns = draw.randrange(100_000) + slow_ns
        inside_ns = 600_000 - late_ns
        words.extend((1_000_000 * call + late_ns, call % rows | call << 32, inside_ns | inside_ns << 32,
                      4096 | 0 << 32 if call % rows in (1, 4) else 4096 | PACKED_ROOT << 32))
    return words.tobytes()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--ranks", type=int, default=1024)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--slow-rank", type=int, default=7)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for rank in range(options.ranks):
        says = header(options, rank)
        text = json.dumps(says).encode()
        beginning = b"TUTTIREC" + struct.pack("<II", 1, len(text)) + text
        beginning += b" " * (-len(beginning) % 32)
        (options.folder / f"calls.{rank}.rec").write_bytes(beginning + records(options, rank, len(says["rows"])))


main()
