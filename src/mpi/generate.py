#!/usr/bin/env python3
"""Writes the entry points of the preload library from the table in calls.py.

    generate.py --mpi mpich --out DIRECTORY --compiler cc --include FOLDER…

leaves in DIRECTORY: mpi_versions.h (all that any version of the MPI declares), c_calls.cpp, fortran_calls.cpp,
api_calls.cpp, settling_calls.cpp, recorded_calls.cpp and named_calls.cpp (of synchronising_calls.py), tutti.f90 (the Fortran module of the C API), exports.map (a linker
version script) and c_library.list (a linker's list of the functions of the C library in front of which
src/overlap/calls stands).
"""

import argparse
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "overlap" / "calls"))

import c_library  # noqa: E402
import synchronising_calls
import prototypes
from calls import COLLECTIVES, COMPLETIONS, CREATIONS, HEADER, INFO, NONBLOCKING, PERSISTENT, POINT_TO_POINT, c_parameters, c_type, symbols
from fortran_bindings import c_argument, fortran_calls, fortran_names, fortran_passages, fortran_type, list_conversions
from fortran_module import fortran_module
from recorded_calls import recorded_calls

# C++ expression for the program's return address, for use in an entry point.
CALLER = "tutti::mpi::calling_place(__builtin_return_address(0))"


def c_signature(call, large, symbol=None):
    suffix = "_c" if large else ""
    return f"int {symbol or 'MPI_' + call.name}{suffix}({c_parameters(call, large)})"


def settles(call):
    """Statement that waits for early calls: the MPI must neither read nor overwrite data that has not arrived."""
    data = ", ".join(p.name for p in call.parameters if p.kind in ("in", "out", "buffer"))
    if data:
        return f"  settle_early_calls({{{data}}});\n"
    return "  await_objects(request);\n" if any(p.kind == "request" for p in call.parameters) else ""


def names(call):
    return ", ".join(p.name for p in call.parameters)


def collective(call, large):
    """The entry points of a blocking collective. All code beyond the shortest path is in separate functions, so that
    short native calls do not pay for its registers and stack frame."""
    suffix = "_c" if large else ""
    ours = "".join(f", {p.name}" for p in call.parameters if p.kind != "comm")
    native = f"next_MPI_{call.name}{suffix}({names(call)})"
    parameters = f"const void* caller, {c_parameters(call, large)}"
    short_way, long_way = f"look_at_MPI_{call.name}{suffix}", f"go_on_with_MPI_{call.name}{suffix}"
    takes, *words = call.size
    quiet = [f"call.takes_{takes}({text})" for text in words or [""]]
    plain = [f"PlainCall::words({text})" for text in words or [""]]
    if len(words) == 2:
        quiet = ["communicator->rank() == root ? " + " : ".join(quiet)]
        plain = ["PlainCall::is_rank_of_world(root) ? " + " : ".join(plain)]
    has_plain = not (words and "counts" in words[0])  # the sum of the ranks' counts takes longer to compute
    shortest_way = (f"  PlainCall call(Collective::{call.function}, comm, {plain[0]});\n"
                    f"  if (call.is_taken()) [[likely]]\n    return call.ended({native});\n") if has_plain else ""
    return (f"[[gnu::noinline]] static int {long_way}(Communicator* communicator, {parameters}) {{\n"
            f"  if (communicator == nullptr) {{\n"
            f"    PassThroughCall passing(Collective::{call.function}, CallInterface::blocking, comm, caller);\n"
            f"    const NativeCollective native(comm);\n"
            f"    return passing.ended({native});\n"
            f"  }}\n"
            f"  Call call(Collective::{call.function}, *communicator, CallInterface::blocking, caller);\n"
            f"  if (tutti::mpi::arguments::{call.function}(call{ours})) return call.result();\n"
            f"  NativeCollective native(comm);\n"
            f"  return call.native(native.ended({native}));\n"
            f"}}\n"
            f"[[gnu::{'noinline' if has_plain else 'always_inline'}]] static inline int {short_way}({parameters}) {{\n"
            f"{settles(call)}"
            f"  Communicator* const communicator = served(comm);\n"
            f"  if (communicator == nullptr) [[unlikely]]\n    return {long_way}(nullptr, caller, {names(call)});\n"
            f"  QuietCall call(Collective::{call.function}, *communicator);\n"
            f"  if (!({quiet[0]})) [[unlikely]]\n    return {long_way}(communicator, caller, {names(call)});\n"
            f"  NativeCollective native(comm);\n"
            f"  return call.ended(native.ended({native}));\n"
            f"}}\n"
            f"{c_signature(call, large)} {{\n"
            f"{shortest_way}"
            f"  return {short_way}({CALLER}, {names(call)});\n"
            f"}}\n")


def nonblocking(call, large):
    suffix = "_c" if large else ""
    blocking = call.function[1:]
    ours = "".join(f", {p.name}" for p in call.parameters if p.kind not in ("comm", "request"))
    on_native_comm = ", ".join("pending->native_comm()" if p.kind == "comm" else p.name for p in call.parameters)
    return (f"{c_signature(call, large)} {{\n"
            f"{settles(call)}"
            f"  if (Communicator* const communicator = serves_nonblocking(comm)) {{\n"
            f"    auto pending = std::make_unique<NonblockingCall>(Collective::{blocking}, *communicator, {CALLER});\n"
            f"    tutti::mpi::arguments::{blocking}(pending->call(){ours});\n"
            f"    if (pending->may_go_native_later())\n"
            f"      pending->keep_native({later_native(call, suffix)});\n"
            f"    if (pending->is_taken()) return NonblockingCall::begin(std::move(pending), request);\n"
            f"    return pending->went_native(next_MPI_{call.name}{suffix}({on_native_comm}), request);\n"
            f"  }}\n"
            f"  PassThroughCall passing(Collective::{blocking}, CallInterface::nonblocking, comm, {CALLER});\n"
            f"  return passing.started(next_MPI_{call.name}{suffix}({names(call)}), request);\n"
            f"}}\n")


def significance(call, type_name):
    """C expression: true if this datatype is significant. That of an in-place side is not, nor is, on other ranks, that
    of a side that only the root has."""
    if type_name not in ("sendtype", "sendtypes", "recvtype", "recvtypes"):
        return "true"
    buffer = "sendbuf" if type_name.startswith("send") else "recvbuf"
    in_place = f"{buffer} != MPI_IN_PLACE"
    is_at_root = AT_ROOT.get(call.name.removeprefix("I").capitalize()) == buffer
    return f"{in_place} && communicator->rank() == root" if is_at_root else in_place


def later_native(call, suffix):
    """C++ lambda that makes the native call after the program's call has returned, on the twin of the communicator."""
    kept = {"datatype": "RetainedDatatypes({0}, {1})", "datatypes": "RetainedDatatypes({0}, communicator->size(), {1})",
            "op": "RetainedOperator({0})"}
    captured = "".join(f", {p.name} = {kept[p.kind].format(p.name, significance(call, p.name))}"
                       for p in call.parameters if p.kind in kept)
    use = {"comm": "communicator->twin()", "datatype": "{}.one()", "datatypes": "{}.all()", "op": "{}.get()", "request": "later"}
    arguments = ", ".join(use.get(p.kind, "{}").format(p.name) for p in call.parameters)
    return f"[={captured}](MPI_Request* later) {{ return PMPI_{call.name}{suffix}({arguments}); }}"


def driven_message(call):
    """Arguments for DrivenMessage: the kind and name of the call for the record, its communicator, and its peer."""
    names_of = {p.name for p in call.parameters}
    kind = "receive" if "source" in names_of or call.name == "Mrecv" else "send"
    peer = next((name for name in ("source", "dest") if name in names_of), "MPI_ANY_SOURCE")
    return f'tutti::record::MessageCall::{kind}, "MPI_{call.name}", {"comm" if "comm" in names_of else "MPI_COMM_NULL"}, {peer}'


def point_to_point(call, large):
    suffix = "_c" if large else ""
    started = ", ".join([*(p.name for p in call.parameters if p.kind != "status"), "&request"])
    status = next((p.name for p in call.parameters if p.kind == "status"), "MPI_STATUS_IGNORE")
    return (f"{c_signature(call, large)} {{\n"
            f"{settles(call)}"
            f"  ProgressEngine* const progress = engine_in_need();\n"
            f"  if (progress == nullptr) return next_MPI_{call.name}{suffix}({names(call)});\n"
            f"  const tutti::mpi::DrivenMessage driven({driven_message(call)});\n"
            f"  MPI_Request request = MPI_REQUEST_NULL;\n"
            f"  const int result = PMPI_I{call.name.lower()}{suffix}({started});\n"
            f"  return result != MPI_SUCCESS ? result : complete(*progress, &request, {status});\n"
            f"}}\n")


def persistent(call, large, symbol):
    suffix = "_c" if large else ""
    blocking = call.function.removesuffix("_init")
    ours = "".join(f", {p.name}" for p in call.parameters if p.kind not in ("comm", "info", "request"))
    return (f"{c_signature(call, large, symbol)} {{\n"
            f"{settles(call)}"
            f"  Communicator* const served = request != nullptr ? serves_persistent(comm) : nullptr;\n"
            f"  if (served != nullptr) {{\n"
            f"    auto made = std::make_unique<PersistentCall>(Collective::{blocking}, *served, {CALLER});\n"
            f"    int result = MPI_SUCCESS;\n"
            f"    if (tutti::mpi::arguments::{blocking}(made->call(){ours}) &&\n"
            f"        PersistentCall::begin(std::move(made), request, &result))\n"
            f"      return result;\n"
            f"  }}\n"
            f"  const int result = next_{symbol}{suffix}({names(call)});\n"
            f"  return went_native(Collective::{blocking}, comm, {CALLER}, request, result);\n"
            f"}}\n")


def creation(call):
    # A creation with a tag is made by some ranks of the communicator only.
    comm = "MPI_COMM_NULL" if creation_tag(call) != "0" else "comm"
    arrays = ", ".join(p.name for p in call.parameters if p.kind in ("ints", "logicals", "weights", "newcomm"))
    return (f"{c_signature(call, False)} {{\n"
            f"  settle_for_arguments({{{arrays}}});\n"
            f"  const NativeCollective native({comm});\n"
            f"  const int result = next_MPI_{call.name}({names(call)});\n"
            f"{adoption(call)}"
            f"  if (result != MPI_SUCCESS) return result;\n"
            f"{hints(call)}"
            f"  return result;\n"
            f"}}\n")


def hints(call):
    if call.name == "Comm_dup":
        return "  tutti::mpi::inherit_info(*newcomm, comm);\n"
    return "  tutti::mpi::take_info(*newcomm, info);\n" if any(p.kind == "info" for p in call.parameters) else ""


def adoption(call):
    made = "result, result == MPI_SUCCESS ? *newcomm : MPI_COMM_NULL, comm"
    if creation_tag(call) != "0":
        return f"  tutti::mpi::adopt_of_some({made}, {creation_tag(call)});\n"
    return f"  tutti::mpi::adopt({made});\n"


def creation_tag(call):
    """Expression that distinguishes creations on one communicator that may run at the same time."""
    return next((p.name for p in call.parameters if p.name == "tag"), "0")


def next_functions(symbols):
    """Definitions of the next functions after Tutti's, for these symbols, each of which may have a second name."""
    return ("namespace {\n" + "".join(f"TUTTI_NEXT_MPI({symbol});\n" if other is None else
                                      f"TUTTI_NEXT_MPI_OF_TWO_NAMES({symbol}, {other});\n" for symbol, other in symbols)
            + "}  // namespace\n\n")


def c_symbols(mpi):
    """The symbols whose next functions c_calls() needs."""
    found = [(f"MPI_{call.name}", None) for call in CREATIONS]
    for call in COLLECTIVES + NONBLOCKING + POINT_TO_POINT + PERSISTENT:
        symbol, *other = symbols(mpi, call)
        found += [(symbol, other[0]), (other[0], symbol)] if other else [(symbol, None)]
        if mpi == "mpich" and call.has_large_count:
            found.append((f"{symbol}_c", None))
    return found


def c_calls(mpi):
    text = [HEADER, '#include <memory>\n\n#include "mpi/communicator/adopt.hpp"\n#include "mpi/communicator/communicator_info.hpp"\n#include "mpi/communicator/native_collective.hpp"\n#include "mpi/native/next_mpi.hpp"\n'
            '#include "mpi/entry/calling_place.hpp"\n#include "collective/mpi/arguments/collectives.hpp"\n#include "mpi/entry/retained_datatypes.hpp"\n#include "mpi/entry/retained_operators.hpp"\n#include "mpi/call/pass_through_call.hpp"\n#include "mpi/entry/pending_data.hpp"\n#include "mpi/entry/point_to_point.hpp"\n#include "mpi/call/quiet_call.hpp"\n#include "mpi/recorded_calls/waiting_call.hpp"\n#include "mpi/call/nonblocking_call.hpp"\n'
            '#include "mpi/call/persistent_call.hpp"\n#include "mpi_versions.h"\n\n',
            "using tutti::algorithm::Collective;\nusing tutti::mpi::Call;\nusing tutti::mpi::CallInterface;\nusing tutti::mpi::Communicator;\nusing tutti::mpi::ProgressEngine;\n"
            "using tutti::mpi::RetainedDatatypes;\nusing tutti::mpi::RetainedOperator;\nusing tutti::mpi::NativeCollective;\nusing tutti::mpi::NonblockingCall;\n"
            "using tutti::mpi::PassThroughCall;\nusing tutti::mpi::PersistentCall;\nusing tutti::mpi::PlainCall;\nusing tutti::mpi::QuietCall;\nusing tutti::mpi::went_native;\nusing tutti::mpi::serves_persistent;\n"
            "using tutti::mpi::complete;\nusing tutti::mpi::engine_in_need;\n"
            "using tutti::mpi::await_objects;\nusing tutti::mpi::served;\nusing tutti::mpi::settle_early_calls;\nusing tutti::mpi::settle_for_arguments;\nusing tutti::mpi::serves_nonblocking;\n\n",
            next_functions(c_symbols(mpi)), "#pragma GCC visibility push(default)\n", 'extern "C" {\n']
    for calls, entry_point in ((COLLECTIVES, collective), (NONBLOCKING, nonblocking),
                               (POINT_TO_POINT, point_to_point),
                               (PERSISTENT, lambda call, large: "\n".join(persistent(call, large, symbol)
                                                                         for symbol in symbols(mpi, call)))):
        for call in calls:
            text.append("\n" + entry_point(call, False))
            if mpi == "mpich" and call.has_large_count:
                text.append("\n" + entry_point(call, True))
    for call in CREATIONS:
        text.append("\n" + creation(call))
    text.append('\n}  // extern "C"\n#pragma GCC visibility pop\n')
    return "".join(text)


def api_sides(call):
    """The buffers of a call, each with its counts, displacements and types. Both buffers of a reduction share one set."""
    sides = []
    for p in call.parameters:
        if p.kind in ("in", "out", "buffer"):
            sides.append({"buffer": p.name})
        elif p.kind in ("count", "counts"):
            for side in sides:
                side.setdefault("size", p)
        elif p.kind in ("datatype", "datatypes"):
            for side in sides:
                side.setdefault("type", p.name)
        elif p.kind in ("displacements", "byte_displacements"):
            sides[-1]["places"] = p.name
    return sides


# The buffer that is significant at the root only.
AT_ROOT = {"Gather": "recvbuf", "Gatherv": "recvbuf", "Reduce": "recvbuf", "Scatter": "sendbuf", "Scatterv": "sendbuf"}


def api_check(call, side):
    buffer, size = side["buffer"], side["size"]
    where = "made.is_root(root)" if AT_ROOT.get(call.name) == buffer else "true"
    if size.kind == "count":
        return f'  made.data("{buffer}", {buffer}, {size.name}, {side["type"]}, {where});\n'
    if call.name == "Reduce_scatter" and buffer == "recvbuf":
        return f'  made.own_block("{buffer}", {buffer}, {size.name}, {side["type"]});\n'
    places = side.get("places", size.name)
    return f'  made.blocks("{buffer}", {buffer}, {size.name}, {places}, {side["type"]}, {where});\n'


def api_checks(call):
    kinds = {p.name for p in call.parameters}
    lines = [f"  made.{name}({name});\n" for name in ("root", "op") if name in kinds]
    return "".join(lines + [api_check(call, side) for side in api_sides(call)])


def api_call(call, mpi):
    """The tutti_*_init of a collective; `call` is the blocking one."""
    persistent_name = f"{call.name}_init"
    native = (f"(PMPI_{persistent_name} != nullptr ? PMPI_{persistent_name} : PMPIX_{persistent_name})"
              f"({names(call)}, MPI_INFO_NULL, native)" if mpi == "openmpi"
              else f"PMPI_I{call.name.lower()}({names(call)}, native)")
    parameters = ", ".join([c_type(p, False) for p in call.parameters] + ["tutti_request* request"])
    ours = "".join(f", {p.name}" for p in call.parameters if p.kind != "comm")
    return (f"int tutti_{call.function}_init({parameters}) {{\n"
            f"  Initialisation made(Collective::{call.function}, comm, request);\n"
            f"{api_checks(call)}"
            f"  if (made.is_offered() && tutti::mpi::arguments::{call.function}(made.call(){ours}) && made.is_taken())\n"
            f"    return made.result();\n"
            f"  return made.native([=](MPI_Request* native) {{ return {native}; }});\n"
            f"}}\n")


def api_fortran_call(call):
    """The function that the Fortran module calls: the same with Fortran's handles."""
    parameters = [fortran_type(p) for p in call.parameters] + ["tutti_request* request", "MPI_Fint* ierror"]
    lists = [p.name for p in call.parameters if p.kind == "datatypes"]
    arguments = ", ".join([c_argument(call, p) for p in call.parameters] + ["request"])
    return (f"TUTTI_PUBLIC void tutti_f_{call.function}_init({', '.join(parameters)}) {{\n"
            + "".join(line + "\n" for line in list_conversions(call, "auto"))
            + f"  *ierror = tutti_{call.function}_init({arguments});\n"
            + "".join(f"  tutti::mpi::api::keep_for(*request, std::move({name}_c));\n" for name in lists)
            + "}\n")


def api_calls(mpi):
    text = [HEADER, '#include "mpi/api/initialisation.hpp"\n#include "mpi/api/requests.hpp"\n'
            '#include "collective/mpi/arguments/collectives.hpp"\n#include "mpi/entry/fortran.hpp"\n#include "tutti/tutti.h"\n'
            '#include "mpi_versions.h"\n\n'
            "namespace fortran = tutti::mpi::fortran;\n"
            "using tutti::algorithm::Collective;\nusing tutti::mpi::api::Initialisation;\n\n", 'extern "C" {\n']
    for call in COLLECTIVES:
        text.append("\n" + api_call(call, mpi))
    for call in COLLECTIVES:
        text.append("\n" + api_fortran_call(call))
    text.append('\n}  // extern "C"\n')
    return "".join(text)


def rows():
    """Names of the calls in calls.py."""
    return {call.name for table in (COLLECTIVES, NONBLOCKING, PERSISTENT, POINT_TO_POINT, COMPLETIONS, CREATIONS, INFO)
            for call in table}


def before_other_call(prototype, kind):
    """Statement that waits for early calls before a call that is not in calls.py."""
    pointers = ", ".join(name for name, p in zip(prototype.names(), prototype.parameters) if synchronising_calls.is_pointer(p))
    extra = synchronising_calls.BEFORE.get(prototype.name, "")
    if kind == "objects":
        return f"tutti::mpi::await_objects({pointers});{extra}"
    settle = "settle_early_calls" if prototype.name in synchronising_calls.SETTLING else "settle_for_arguments"
    return f"tutti::mpi::{settle}({{{pointers}}});{extra}"


def settling_calls(mpi, declared):
    """Entry points of calls that wait for early calls first. Fortran's arguments are all addresses, and are passed on
    unchanged."""
    by_hand = rows()
    chosen = [(p, kind) for p in declared.values() if p.name not in by_hand
              if (kind := synchronising_calls.kind_of(p)) in ("settling", "objects")]
    text = [HEADER, '#include "mpi_versions.h"\n\n#include "mpi/entry/fortran_passage.hpp"\n#include "mpi/native/next_mpi.hpp"\n#include "mpi/entry/pending_data.hpp"\n\n'
            '#pragma GCC diagnostic ignored "-Wdeprecated-declarations"\n',
            next_functions((p.symbol, None) for p, _ in chosen),
            '#pragma GCC visibility push(default)\nextern "C" {\n']
    for p, kind in chosen:
        text.append(f"\n{p.signature()} {{\n  {before_other_call(p, kind)}\n"
                    f"  return next_{p.symbol}({', '.join(p.names())});\n}}\n")
    in_fortran = {(p.name, "MPIX_" if p.symbol.startswith("MPIX_") else "MPI_"): synchronising_calls.kind_of(p)
                  for p in declared.values() if p.name not in by_hand and not synchronising_calls.NOT_IN_FORTRAN.fullmatch(p.name)
                  and not synchronising_calls.NO_CALLS.fullmatch(p.name)}
    for (name, start), kind in sorted(in_fortran.items()):
        macro = {"settling": "TUTTI_FORTRAN_SETTLING" if name not in synchronising_calls.SETTLING else "TUTTI_FORTRAN_PASSAGE",
                 "objects": "TUTTI_FORTRAN_OBJECTS", "nothing": "TUTTI_FORTRAN_OBJECTS"}.get(kind)
        if macro is not None:
            text += fortran_passages(macro, fortran_names(mpi, name, start), synchronising_calls.BEFORE.get(name, ""))
    text.append('\n\n}  // extern "C"\n#pragma GCC visibility pop\n')
    return "".join(text)


def is_driven(mpi, symbol):
    """True if Tutti's entry point makes progress while the program waits in this call; checks large-count variants, too."""
    name, large = re.sub(r"^MPIX?_|_c$", "", symbol), symbol.endswith("_c")
    call = DRIVEN.get(name)
    has_large = mpi == "mpich" and call in COLLECTIVES + NONBLOCKING + PERSISTENT + POINT_TO_POINT
    return call is not None and (not large or has_large)


# A creation with a tag is made by some ranks of the communicator only, so they cannot meet before it.
DRIVEN = {call.name: call for table in (COLLECTIVES, NONBLOCKING, PERSISTENT, POINT_TO_POINT, COMPLETIONS, CREATIONS, INFO)
          for call in table if call not in CREATIONS or creation_tag(call) == "0"}


def is_undriven(mpi, symbol):
    return not is_driven(mpi, symbol) and not synchronising_calls.LOCAL.fullmatch(re.sub(r"^MPIX?_|_c$", "", symbol))


def named_calls(mpi, declared):
    """For mpi/bootstrap/program_symbols.cpp: all calls by their names in lower case, sorted."""
    symbols_of_all = {*declared, *(f"MPI_{name}" for name in DRIVEN)}
    rows = {re.sub("^MPIX?_", "", symbol).lower(): is_undriven(mpi, symbol) for symbol in symbols_of_all}
    return (HEADER + '\n#include "mpi/bootstrap/named_calls.hpp"\n\nnamespace tutti::mpi {\n\n'
            "constexpr NamedCall k_all[] = {\n"
            + "".join(f'    {{"{name}", {"true" if rows[name] else "false"}}},\n' for name in sorted(rows))
            + "};\n\nstd::span<const NamedCall> named_calls() {\n  return k_all;\n}\n\n}  // namespace tutti::mpi\n")


# Findings of clang-tidy in the MPI's own declarations.
NAMES_OF_MPI = "readability-identifier-naming,readability-redundant-declaration"


def versions_header(mpi, declared):
    """Declares the functions of all versions of the MPI, as weak symbols, so that the library can be loaded if some are
    missing."""
    text = [HEADER, f'#pragma once\n\n#include "mpi/versions/{mpi}.h"\n\n// NOLINTBEGIN({NAMES_OF_MPI})\nextern "C" {{\n']
    text += [f"{c_signature(call, False, start + symbol)};\n" for call in PERSISTENT for symbol in symbols(mpi, call)
             for start in ("", "P")]
    text += [f"{p.signature('P' + p.symbol)};\n#pragma weak P{p.symbol}\n"
             for p in declared.values() if not prototypes.is_in_all_versions(p.symbol) or synchronising_calls.kind_of(p) is not None]
    text += [f"#pragma weak P{symbol}\n" for call in PERSISTENT for symbol in symbols(mpi, call)]
    return "".join(text) + f'}}  // extern "C"\n// NOLINTEND({NAMES_OF_MPI})\n'


def exports(mpi, calls):
    """The library exports only entry points: MPI_*, its Fortran names, Open MPI's extensions, the C API, and the wrappers
    of functions of the C library and of PMIx (entry/pmix_call.cpp)."""
    names = ["MPI_*", "mpi_*", "MPIX_*", "mpix_*", "tutti_*", *calls, *(["PMIx_Init"] if mpi == "openmpi" else [])]
    return "{\n  global:\n" + "".join(f"    {name};\n" for name in names) + "  local:\n    *;\n};\n"


def dynamic_list(calls):
    return "{\n" + "".join(f"  {name};\n" for name in calls) + "};\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", choices=["mpich", "openmpi"], required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include", nargs="+", required=True)
    options = parser.parse_args()
    mpi, calls = options.mpi, c_library.in_front_of()
    declared = prototypes.prototypes(options.compiler, options.include)
    options.out.mkdir(parents=True, exist_ok=True)
    for name, text in (("mpi_versions.h", versions_header(mpi, declared)), ("c_calls.cpp", c_calls(mpi)),
                       ("fortran_calls.cpp", fortran_calls(mpi)), ("api_calls.cpp", api_calls(mpi)), ("settling_calls.cpp", settling_calls(mpi, declared)),
                       ("recorded_calls.cpp", recorded_calls(declared)),
                       ("named_calls.cpp", named_calls(mpi, declared)),
                       ("tutti.f90", fortran_module()), ("exports.map", exports(mpi, calls)),
                       ("c_library.list", dynamic_list(calls))):
        (options.out / name).write_text(text)


if __name__ == "__main__":
    main()
