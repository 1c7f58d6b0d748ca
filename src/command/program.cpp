#include "command/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>

namespace tutti::command {

namespace fs = std::filesystem;
using base::Result;
using base::Status;

namespace {

Result<std::string> first_bytes(const fs::path& path, size_t count) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status::system("cannot read " + path.string(), errno);
  std::string bytes(count, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<size_t>(file.gcount()));
  return bytes;
}

/// The output of `ldd program`, stdout and stderr.
Result<std::string> run_ldd(const fs::path& program) {
  std::array<int, 2> pipe_ends{};
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return Status::system("pipe", errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDERR_FILENO);
  std::string path = fs::absolute(program).string();
  std::string ldd = "ldd";
  std::array<char*, 3> arguments = {ldd.data(), path.data(), nullptr};
  pid_t child = -1;
  const int error = posix_spawnp(&child, "ldd", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);
  std::string text;
  std::array<char, 4096> part{};
  ssize_t got = 0;
  while (error == 0 && (got = ::read(pipe_ends[0], part.data(), part.size())) > 0)
    text.append(part.data(), static_cast<size_t>(got));
  close(pipe_ends[0]);
  if (error != 0) return Status::system("cannot run ldd", error);
  waitpid(child, nullptr, 0);
  return text;
}

/// The file in "libm.so.6 => /lib/libm.so.6 (0x7f…)"; empty if the line has none.
std::string file_of(const std::string& line) {
  constexpr std::string_view k_arrow = "=> ";
  const size_t arrow = line.find(k_arrow), end = line.rfind(" (");
  if (arrow == std::string::npos || end == std::string::npos || end < arrow + k_arrow.size()) return {};
  return line.substr(arrow + k_arrow.size(), end - arrow - k_arrow.size());
}

/// Whether this is ld-linux-x86-64.so.2 PROGRAM: it is not linked with anything itself, and preloads for PROGRAM.
bool is_dynamic_linker(const fs::path& program) {
  const std::string name = program.filename().string();
  return name.starts_with("ld-") || name.starts_with("ld.so") || name.starts_with("ld64.so");
}

}  // namespace

ProgramFacts facts_from_ldd(const std::string& lines) {
  ProgramFacts facts{.kind = ProgramFacts::Kind::dynamic};
  if (lines.find("not a dynamic executable") != std::string::npos ||
      lines.find("statically linked") != std::string::npos)
    facts.kind = ProgramFacts::Kind::is_static;
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);) {
    const auto names = [&](std::string_view library) { return line.find(library) != std::string::npos; };
    if (names("libmpich.so."))
      facts.mpi = Mpi::mpich;
    else if (names("libmpi.so.40"))
      facts.mpi = Mpi::openmpi;
    else if (names("libmpi.so.") || names("libmpi_abi.so."))
      facts.other_mpi = true;
    else if (names("libasan.so."))
      facts.first_library = file_of(line);
  }
  if (facts.mpi) facts.other_mpi = false;
  return facts;
}

Result<ProgramFacts> inspect_program(const fs::path& program) {
  const auto magic = first_bytes(program, k_elf_magic.size());
  if (!magic) return magic.status();
  if (*magic != k_elf_magic || is_dynamic_linker(program)) return ProgramFacts{};
  const auto lines = run_ldd(program);
  if (!lines) return lines.status();
  return facts_from_ldd(*lines);
}

Result<fs::path> library_of(const fs::path& program, std::string_view name) {
  const auto lines = run_ldd(program);
  if (!lines) return lines.status();
  // "	libmpich.so.12 => /lib/libmpich.so.12 (0x…)"
  std::istringstream stream(*lines);
  for (std::string word, arrow, path; stream >> word;)
    if (word.starts_with(name) && stream >> arrow >> path && path.starts_with('/')) return fs::path(path);
  return Status::not_found(fmt::format("{} does not find its {}*", program.string(), name));
}

}  // namespace tutti::command
