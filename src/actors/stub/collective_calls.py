"""Generates the entry points of collectives for ranks as threads from the table in src/mpi/calls.py."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "mpi"))

from calls import COLLECTIVES, NONBLOCKING, PERSISTENT, c_parameters  # noqa: E402


def variants():
    """Name, row, row of the blocking call, interface, and whether counts are large, for each call."""
    for interface, calls in (("blocking", COLLECTIVES), ("nonblocking", NONBLOCKING), ("persistent", PERSISTENT)):
        for call, blocking in zip(calls, COLLECTIVES):
            yield call.name, call, blocking, interface, False
            if call.has_large_count:
                yield call.name + "_c", call, blocking, interface, True


ALL = {name for name, *_ in variants()}


def argument(call, parameter):
    if parameter.kind != "datatypes":
        return parameter.name
    buffer = "sendbuf" if parameter.name.startswith("send") else "recvbuf"
    return f"native(call, {buffer}, {parameter.name}).data()"


def definition(name, call, blocking, interface, is_large):
    arguments = "".join(", " + argument(call, p) for p in blocking.parameters if p.kind != "comm")
    request = "" if interface == "blocking" else ", request"
    parameters = c_parameters(call, is_large).replace("MPI_Info info", "MPI_Info")
    return (f"int {name}(Rank& me, {parameters}) {{\n"
            f"  return {interface}(me, comm{request}, Collective::{blocking.function}, [&](CollectiveRequest& call) {{\n"
            f"    return mpi::arguments::{blocking.function}(call{arguments});\n"
            f"  }});\n"
            f"}}\n")


def source(header, names):
    """The definitions of those calls that are among `names`."""
    text = "\n".join(definition(*variant) for variant in variants() if variant[0] in names)
    return (f'{header}#include "actors/calls/collective_entry.hpp"\n#include "calls.hpp"\n\n'
            f"namespace tutti::actors::calls {{\n\nusing algorithm::Collective;\n\n{text}\n"
            f"}}  // namespace tutti::actors::calls\n")
