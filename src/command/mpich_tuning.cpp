#include "command/mpich_tuning.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "command/installation.hpp"
#include "command/program.hpp"

namespace tutti::command {

using base::Result;
using base::Status;

namespace {

constexpr std::string_view k_begin = "{\"collective=";

}  // namespace

std::string_view find_mpich_tuning(std::string_view library) {
  std::string_view longest;
  for (size_t at = library.find(k_begin); at != std::string_view::npos; at = library.find(k_begin, at + 1)) {
    const std::string_view text = library.substr(at, library.find('\0', at) - at);
    if (text.size() > longest.size()) longest = text;
  }
  return longest;
}

Result<std::string> mpich_tuning_of(const std::string& file_name) {
  auto content = base::read_file(file_name);
  if (!content || !content->starts_with(k_elf_magic)) return content;
  const std::string_view tree = find_mpich_tuning(*content);
  if (tree.empty())
    return Status::invalid_argument(fmt::format("{} holds no tuning file of MPICH 4", file_name));
  return std::string(tree);
}

/// The library that Tutti's own program for MPICH would load.
Result<std::string> installed_mpich_tuning() {
  const auto program = helper_program("tutti-bench", Mpi::mpich);
  if (!program) return program.status();
  const auto library = library_of(*program, "libmpich.so.");
  if (!library) return library.status();
  return mpich_tuning_of(library->string());
}

}  // namespace tutti::command
