"""Wrappers of the calls, other than collectives and messages, in which ranks wait for each other. They are installed
between Tutti and the MPI if a run is recorded (recorded_calls/other_calls.hpp)."""

import re

import synchronising_calls
from calls import HEADER


def parameter_of(prototype, kind, is_place=False):
    """Name of the first parameter of this type; if is_place, of the first pointer to it."""
    pattern = re.compile(rf"(?:const )?{kind} {chr(92)}*{chr(92)}s?({chr(92)}w+)" if is_place else rf"{kind} ({chr(92)}w+)")
    return next((found[1] for p in prototype.parameters if (found := pattern.fullmatch(p))), None)


def object_of(prototype):
    """C++ code: expression for the object of the call, statement after the call, statement before it."""
    comm, window, file = (parameter_of(prototype, f"MPI_{kind}") for kind in ("Comm", "Win", "File"))
    new_window, new_file = (parameter_of(prototype, f"MPI_{kind}", True) for kind in ("Win", "File"))
    if prototype.name == "Win_free":
        return "CallObject::of_window(freed)", "CallObject::freed_window(freed);", \
            f"const MPI_Win freed = {new_window} == nullptr ? MPI_WIN_NULL : *{new_window};"
    if prototype.name == "File_close":
        return "CallObject::of_file(freed)", "CallObject::freed_file(freed);", \
            f"const MPI_File freed = {new_file} == nullptr ? MPI_FILE_NULL : *{new_file};"
    if window is not None or file is not None:
        return (f"CallObject::of_window({window})" if window else f"CallObject::of_file({file})"), "", ""
    after = f"object.made_window(*{new_window});" if new_window else f"object.made_file(*{new_file});" if new_file else ""
    return f"CallObject::of_comm({comm})" if comm else "CallObject()", after, ""


def recorded_call(prototype):
    symbol = prototype.symbol
    about, after, before = object_of(prototype)
    peer = "rank" if prototype.name in ("Win_lock", "Win_unlock", "Win_flush", "Win_flush_local") else "-1"
    comm = parameter_of(prototype, "MPI_Comm")
    native = f"after_{symbol}({', '.join(prototype.names())})"
    if prototype.name.startswith("Ineighbor"):
        ended = f"call.started({native}, request)"
    elif prototype.name.startswith("Neighbor"):
        ended = f"call.ended_among_neighbours({native}, {comm})"
    else:
        ended = f"call.ended({native})"
    lines = [f'static const std::string* const name_of_call = kept_name("{symbol}");', before,
             f"const CallObject object = {about};", f"OtherCall call(name_of_call, object, {peer});",
             f"const int result = {ended};", f"if (result == MPI_SUCCESS) {after}" if after else "", "return result;"]
    return (f"\nconstinit decltype(&P{symbol}) after_{symbol} = nullptr;\n"
            f"{prototype.signature('recorded_' + symbol)} {{\n" + "".join(f"  {line}\n" for line in lines if line) + "}\n")


def recorded_calls(declared):
    """Source of the wrappers."""
    chosen = [p for p in declared.values() if synchronising_calls.RECORDED.fullmatch(p.name) and p.symbol.startswith("MPI_")]
    rows = "".join(f'    {{"{p.symbol}", reinterpret_cast<void*>(recorded_{p.symbol}), reinterpret_cast<void**>(&after_{p.symbol})}},\n'
                   for p in chosen)
    return (HEADER + '\n#include "mpi_versions.h"\n\n#include <string_view>\n\n#include "mpi/recorded_calls/other_calls.hpp"\n\n'
            "namespace tutti::mpi {\n\nnamespace {\n" + "".join(map(recorded_call, chosen)) +
            "\nstruct RecordedOther {\n  std::string_view name;\n  void* function;\n  void** next;\n};\n"
            f"const RecordedOther k_recorded_others[] = {{\n{rows}}};\n\n}}  // namespace\n\n"
            "void* recorded_other_call(const char* name, void* next) {\n  for (const RecordedOther& one : k_recorded_others)\n"
            "    if (one.name == name) {\n      *one.next = next;\n      return one.function;\n    }\n  return next;\n}\n\n"
            "}  // namespace tutti::mpi\n")
