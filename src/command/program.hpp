#pragma once
// What is known about an executable before it runs: which MPI it uses, and whether a library can be
// preloaded.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "command/installation.hpp"

namespace tutti::command {

/// The first bytes of programs and libraries.
inline constexpr std::string_view k_elf_magic = "\177ELF";

struct ProgramFacts {
  enum class Kind {
    dynamic,    // an ELF program with a dynamic loader: preloading works
    is_static,  // an ELF program without one: nothing can be preloaded
    script,     // starts with #!, or is no ELF file: its interpreter decides
  };
  Kind kind = Kind::script;
  std::optional<Mpi> mpi;  // the MPI it is linked with, directly or not
  bool other_mpi = false;  // linked with an MPI that Tutti does not know
  std::string
      first_library;  // a file that has to be loaded before all others, that of gcc's address sanitizer
};

/// Asks the dynamic loader what `program` would load. Errors: not_found, system (unreadable, not executable).
base::Result<ProgramFacts> inspect_program(const std::filesystem::path& program);

/// The library that the dynamic loader would take for `program` under a name that begins like this. Errors:
/// not_found, system.
base::Result<std::filesystem::path> library_of(const std::filesystem::path& program, std::string_view name);

/// What the lines printed by ldd say. For tests, and for inspect_program().
ProgramFacts facts_from_ldd(const std::string& lines);

}  // namespace tutti::command
