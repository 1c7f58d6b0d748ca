#pragma once
// Properties of an executable before it runs: its MPI, and whether a library can be preloaded.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "command/installation.hpp"

namespace tutti::command {

/// Magic number of ELF files.
inline constexpr std::string_view k_elf_magic = "\177ELF";

struct ProgramFacts {
  enum class Kind {
    dynamic,    // an ELF program with a dynamic loader, so preloading works
    is_static,  // an ELF program without one, so nothing can be preloaded
    script,     // a file with #!, or no ELF file: its interpreter decides
  };
  Kind kind = Kind::script;
  std::optional<Mpi> mpi;     // linked with the program, directly or indirectly
  bool other_mpi = false;     // linked with an MPI that Tutti does not support
  std::string first_library;  // a library that must be loaded before all others (gcc's address sanitizer)
};

/// Determines what `program` loads, with ldd. Errors: not_found, system (unreadable, not executable).
base::Result<ProgramFacts> inspect_program(const std::filesystem::path& program);

/// The library with this beginning of its name that the dynamic loader would use for `program`. Errors: not_found,
/// system.
base::Result<std::filesystem::path> library_of(const std::filesystem::path& program, std::string_view name);

/// Parses the output of ldd. For tests, and for inspect_program().
ProgramFacts facts_from_ldd(const std::string& lines);

}  // namespace tutti::command
