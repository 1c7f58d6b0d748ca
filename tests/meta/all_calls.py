#!/usr/bin/env python3
"""Every function that an mpi.h declares is classed: whether it has to wait for data that has not arrived, and whether a
program may wait in it while nothing of Tutti's makes progress.

    all_calls.py --compiler cc --include FOLDER…
"""

import argparse
import re
import sys

from tree import ROOT, finish

sys.path.insert(0, str(ROOT / "src" / "mpi"))

import calls  # noqa: E402
import generate  # noqa: E402
import synchronising_calls  # noqa: E402
import prototypes  # noqa: E402

TABLES = (calls.COLLECTIVES, calls.NONBLOCKING, calls.PERSISTENT, calls.POINT_TO_POINT, calls.COMPLETIONS, calls.CREATIONS,
          calls.INFO)

# Arrays, texts, and memory of no type.
MEMORY = re.compile(r"\[|\bchar\b|void ?\*")

# Calls by which a program waits for another process, according to the standard, and in which no entry point of Tutti
# makes progress.
WAITS_UNDRIVEN = re.compile("|".join([
    r"MPI_Parrived", r"MPI_Win_(?!\w+_(keyval|errhandler))(create|allocate|fence|complete|wait|test|lock|unlock|flush|free)\w*",
    r"MPI_File_(open|close|i?read|i?write|sync|set_view|set_size|preallocate)\w*", r"MPI_Neighbor_\w+",
    r"MPI_Comm_(create_group|create_from_group|spawn|spawn_multiple|accept|connect|join|disconnect)",
    r"MPI_Intercomm_create(_from_groups)?", r"MPI_Sendrecv(_replace)?_c", r"MPI_Request_get_status_(all|any|some)",
    r"MPI_(Buffer|Comm_|Session)_?(detach|detach_buffer|flush|flush_buffer)", r"MPI_Session_finalize",
    r"MPIX_(Comm_(agree|shrink)|Stream_(send|recv)|Wait\w*_enqueue)", r"MPI_(Put|Get|Accumulate|R(put|get))(_c)?"]))
# Served, or made by point-to-point calls of ours, or local.
RETURNS = re.compile(r"MPI_(Allreduce|Ibcast|Bcast_init|Recv|Wait|Testsome|Probe|Sendrecv|Comm_dup|Cart_create|Isend|Irecv"
                     r"|Send_init|Comm_rank|Type_commit|Wtime|Pack|Ineighbor_alltoall|Comm_free|Info_set|Finalize)")

# Recorded calls that only some members of a communicator or window have to make.
OF_SOME = re.compile(r"MPI_(I?[Nn]eighbor_\w+|Comm_create_group|Win_(start|complete|wait|(un)?lock|flush)\w*)")
OF_ALL = ROOT / "src/record/analysis/open_waits.cpp"


def findings_of_recorded(declared):
    """The report's list of calls that all have to make, which blames a rank that does not come."""
    beginnings = re.findall(r'"(MPI_\w+)"', OF_ALL.read_text().partition("k_beginnings[]")[2].partition("};")[0])
    recorded = [call.symbol for call in declared.values() if synchronising_calls.RECORDED.fullmatch(call.name)]
    for symbol in recorded:
        is_of_all = symbol == "MPI_Comm_create" or symbol.startswith(tuple(beginnings)) \
            or re.fullmatch(r"MPI_File_\w+(_all|_ordered)\w*", symbol) is not None
        if is_of_all == (OF_SOME.fullmatch(symbol) is not None):
            yield f"{symbol}: is recorded; say in {OF_ALL.name} (is_call_of_all) or in OF_SOME here which members make it"
    yield from (f"{beginning}: no recorded call begins like this ({OF_ALL.name})" for beginning in beginnings
                if beginning != "MPI_Finalize" and not any(symbol.startswith(beginning) for symbol in recorded))


def findings_of_progress(mpi, declared):
    undriven = {symbol for symbol in declared if generate.is_undriven(mpi, symbol)}
    findings = [f"{symbol}: a program may wait in it without progress, and is not seen to" for symbol in declared
                if WAITS_UNDRIVEN.fullmatch(symbol) and symbol not in undriven]
    findings += [f"{symbol}: taken for a call without progress" for symbol in sorted(undriven) if RETURNS.fullmatch(symbol)]
    text = generate.named_calls(mpi, declared)
    names = re.findall(r'\{"(\w+)", (?:true|false)\}', text)
    if names != sorted(names) or len(names) < len({symbol.lower() for symbol in declared}) - 30:
        findings.append(f"{len(names)} names in the library's table, not sorted or too few")
    return findings


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include", nargs="+", required=True)
    options = parser.parse_args()
    rows = {call.name for table in TABLES for call in table}
    declared = prototypes.prototypes(options.compiler, options.include)
    others = [call for call in declared.values() if call.name not in rows]
    kinds = {call.symbol: synchronising_calls.kind_of(call) for call in others}
    findings = [f"{symbol}: not in src/mpi/calls.py or synchronising_calls.py" for symbol, kind in kinds.items() if kind is None]
    for call in others:
        kind, waits = kinds[call.symbol], kinds[call.symbol] in ("settling", "by hand")
        memory = [p for p in call.parameters if MEMORY.search(p) and not synchronising_calls.ONE_WORD.fullmatch(call.name)]
        if memory and not waits:
            findings.append(f"{call.symbol}: is given memory, and does not wait ({', '.join(memory)})")
        if kind == "nothing" and any("*" in p and "(" not in p for p in call.parameters) \
                and not synchronising_calls.NO_CALLS.fullmatch(call.name):
            findings.append(f"{call.symbol}: is given an address, and does not wait for what lies there")
    findings += [f"{name}: in two lists" for name in sorted(rows & set(synchronising_calls.SETTLING))]
    if len(declared) < 300:
        findings.append(f"only {len(declared)} functions were found; the patterns no longer fit mpi.h")
    mpi = "openmpi" if any("openmpi" in folder for folder in options.include) else "mpich"
    findings += [*findings_of_recorded(declared), *findings_of_progress(mpi, declared)]
    finish(findings, f"{len(declared)} functions")


main()
