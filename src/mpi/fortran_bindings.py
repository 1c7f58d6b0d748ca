"""The entry points for Fortran, from the table in calls.py: bindings that convert their arguments, and bindings that pass
them on unchanged."""

from calls import (COLLECTIVES, COMPLETIONS, CREATIONS, HEADER, INFO, NONBLOCKING, NOT_FOR_FORTRAN, PERSISTENT,
                   POINT_TO_POINT, symbols)


def fortran_type(parameter):
    kind = parameter.kind
    if kind in ("in", "out", "buffer"):
        return f"void* {parameter.name}"
    return f"MPI_Fint* {parameter.name}"


def c_argument(call, parameter):
    """The C expression for a Fortran argument."""
    name = parameter.name
    by_kind = {
        "in": "fortran::buffer({})", "out": "fortran::buffer({})", "buffer": "fortran::buffer({})",
        "count": "*{}", "int": "*{}", "logical": "fortran::logical(*{})",
        "counts": "{}", "ints": "{}", "displacements": "{}", "byte_displacements": "{}",
        "datatype": "PMPI_Type_f2c(*{})", "op": "PMPI_Op_f2c(*{})", "comm": "PMPI_Comm_f2c(*{})",
        "group": "PMPI_Group_f2c(*{})", "info": "PMPI_Info_f2c(*{})",
        "weights": "fortran::weights({})", "newcomm": "&{}_c", "request": "&{}_c",
        "requests": "{}_c.data()", "status": "{}_c.data()", "statuses": "{}_c.data()",
        "old_request": "{}_c" if call.name == "Request_get_status" else "&{}_c", "old_op": "&{}_c",
        "flag": "&{}_c", "index": "&{}_c", "indices": "{}", "done_count": "{}",
        "message": "&{}_c", "new_message": "&{}_c", "new_info": "&{}_c",
    }
    if kind_needs_list(parameter):
        return f"{name}_c.data()"
    return by_kind[parameter.kind].format(name)


def kind_needs_list(parameter):
    return parameter.kind in ("datatypes", "logicals")


# Conversion of a Fortran parameter before the call, and back after it.
BEFORE = {
    "request": "MPI_Request {0}_c = MPI_REQUEST_NULL;",
    "old_request": "MPI_Request {0}_c = PMPI_Request_f2c(*{0});",
    "old_op": "MPI_Op {0}_c = PMPI_Op_f2c(*{0});",
    "requests": "fortran::Requests {0}_c({0}, *count);",
    "status": "fortran::Statuses {0}_c({0}, 1);",
    "statuses": "fortran::Statuses {0}_c({0}, *count);",
    "flag": "int {0}_c = 0;",
    "index": "int {0}_c = MPI_UNDEFINED;",
    "message": "MPI_Message {0}_c = PMPI_Message_f2c(*{0});",
    "new_message": "MPI_Message {0}_c = MPI_MESSAGE_NULL;",
    "new_info": "MPI_Info {0}_c = MPI_INFO_NULL;",
}
AFTER = {
    "request": "if (result == MPI_SUCCESS) *{0} = PMPI_Request_c2f({0}_c);",
    "old_request": "*{0} = PMPI_Request_c2f({0}_c);",
    "old_op": "*{0} = PMPI_Op_c2f({0}_c);",
    "requests": "{0}_c.store();",
    "status": "{0}_c.store(1);",
    "statuses": "{0}_c.store(*{1});",
    "flag": "*{0} = {0}_c != 0;",
    "index": "*{0} = fortran::index({0}_c);",
    "indices": "fortran::count_from_one({0}, *{1});",
    "message": "*{0} = PMPI_Message_c2f({0}_c);",
    "new_message": "*{0} = PMPI_Message_c2f({0}_c);",
    "new_info": "*{0} = PMPI_Info_c2f({0}_c);",
}


def list_conversions(call, declaration="const auto"):
    lines = []
    for p in call.parameters:
        if p.kind == "datatypes":
            # By the standard, sendtypes is not significant if sendbuf is MPI_IN_PLACE.
            ignored = "fortran::is_in_place(sendbuf)" if p.name == "sendtypes" else "false"
            lines.append(f"  {declaration} {p.name}_c = fortran::datatypes({p.name}, PMPI_Comm_f2c(*comm), {ignored});")
    return lines


def fortran_body(call, symbol):
    lines = list_conversions(call)
    for p in call.parameters:
        if p.kind == "logicals":
            length = call.lengths[p.name]
            length = length.replace("(comm)", "(PMPI_Comm_f2c(*comm))").replace("ndims", "*ndims")
            lines.append(f"  const auto {p.name}_c = fortran::logicals({p.name}, {length});")
        elif p.kind == "newcomm":
            lines.append(f"  MPI_Comm {p.name}_c = MPI_COMM_NULL;")
        elif p.kind in BEFORE:
            lines.append("  " + BEFORE[p.kind].format(p.name))
    arguments = ", ".join(c_argument(call, p) for p in call.parameters)
    lines.append(f"  const int result = {symbol}({arguments});")
    lines += [f"  if (result == MPI_SUCCESS) *{p.name} = PMPI_Comm_c2f({p.name}_c);"
              for p in call.parameters if p.kind == "newcomm"]
    found = next((p.name for p in call.parameters if p.kind == "done_count"), "count")
    lines += ["  " + AFTER[p.kind].format(p.name, found) for p in call.parameters if p.kind in AFTER]
    lines.append("  fortran::set_error(ierror, result);")
    return lines


def manglings(mpi, symbol, has_data):
    """The Fortran symbols of a call that would bypass the C wrapper.

    Open MPI's Fortran calls PMPI_* itself, so every binding needs a wrapper. MPICH's mpif.h and `use mpi` call
    MPI_*, and so does mpi_f08 with choice buffers; only mpi_f08 without choice buffers calls PMPI_*.
    """
    lower = symbol.lower()
    if mpi == "openmpi":
        return [lower + "_", lower, lower + "__", lower.upper(), lower + "_f08_"]
    return [] if has_data else [lower + "_f08_"]


def place_names(call):
    """The symbols of MPICH's bindings that call MPI_*, so that the C wrapper's return address is in the binding."""
    lower = "mpi_" + call.name.lower()
    return [lower + "_", lower, lower + "__", lower.upper(),
            *([lower + "_f08ts_"] if call.has_data else []),
            # Large-count names of MPICH 4.0 and 4.2.
            *([lower + "_f08ts_large_", lower + "_c_f08ts_"] if call.has_large_count else [])]


def fortran_places():
    """Wrappers of MPICH's bindings that store the program's return address, so that it is used instead of the binding's."""
    return "".join(f"TUTTI_FORTRAN_PLACE({symbol})\n" for call in COLLECTIVES + NONBLOCKING + PERSISTENT
                   for symbol in place_names(call))


def fortran_calls(mpi):
    text = [HEADER, '#include "mpi/entry/calling_place.hpp"\n#include "mpi/entry/fortran.hpp"\n#include "mpi/entry/fortran_passage.hpp"\n#include "mpi_versions.h"\n\n'
            "namespace fortran = tutti::mpi::fortran;\n\n",
            "#pragma GCC visibility push(default)\n", 'extern "C" {\n']

    def emit(symbol, has_data, parameters, body):
        names = manglings(mpi, symbol, has_data)
        if not names:
            return
        signature = ", ".join([*parameters, "MPI_Fint* ierror"])
        text.append(f"\nvoid {names[0]}({signature}) {{\n" + "\n".join(body) + "\n}\n")
        for alias in names[1:]:
            text.append(f'void {alias}({signature}) __attribute__((alias("{names[0]}")));\n')

    for call in COLLECTIVES + NONBLOCKING + PERSISTENT + POINT_TO_POINT + COMPLETIONS + CREATIONS + INFO:
        if call.name in NOT_FOR_FORTRAN:
            continue
        if mpi == "mpich" and any(p.kind == "weights" for p in call.parameters):
            continue  # weight sentinels of MPICH's mpi_f08 are private to its module: such a communicator stays native
        for symbol in symbols(mpi, call):
            body = fortran_body(call, symbol)
            if call in COLLECTIVES + NONBLOCKING + PERSISTENT:
                body.insert(0, "  const tutti::mpi::FortranCall from(__builtin_return_address(0));")
            emit(symbol, call.has_data, [fortran_type(p) for p in call.parameters], body)
    emit("MPI_Init", False, [], ["  fortran::set_error(ierror, MPI_Init(nullptr, nullptr));"])
    emit("MPI_Init_thread", False, ["MPI_Fint* required", "MPI_Fint* provided"],
         ["  fortran::set_error(ierror, MPI_Init_thread(nullptr, nullptr, *required, provided));"])
    emit("MPI_Query_thread", False, ["MPI_Fint* provided"],
         ["  fortran::set_error(ierror, MPI_Query_thread(provided));"])
    emit("MPI_Abort", False, ["MPI_Fint* comm", "MPI_Fint* code"],
         ["  fortran::set_error(ierror, MPI_Abort(PMPI_Comm_f2c(*comm), *code));"])
    emit("MPI_Finalize", False, [], ["  fortran::set_error(ierror, MPI_Finalize());"])
    if mpi == "mpich":
        text.append("\n" + fortran_places())
    text.append('\n}  // extern "C"\n#pragma GCC visibility pop\n')
    return "".join(text)


def fortran_names(mpi, name, start):
    """Symbols of a binding that does not convert its arguments. MPICH's bindings call MPI_*, except mpi_f08 without choice
    buffers."""
    lower = start.lower() + name.lower()
    if mpi == "openmpi":
        return [lower + "_", lower, lower + "__", lower.upper(), lower + "_f08_"]
    return [lower + "_f08_"]


def fortran_passages(macro, names, extra):
    """Bindings of one call: names that differ only in the mangling of compilers are one function."""
    f08 = [name for name in names if name.endswith("_f08_")]
    plain = [name for name in names if name not in f08]
    text = [f"\n{macro}({name}, {extra})" for name in [*plain[:1], *f08]]
    return text + [f"\nTUTTI_FORTRAN_SAME({name}, {plain[0]})" for name in plain[1:]]
