#include "command/launch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <map>
#include <system_error>

#include "command/command.hpp"
#include "command/program.hpp"

namespace tutti::command {

using base::Result;
using base::Status;

namespace {

/// All TUTTI_* settings for the ranks: those of this process's environment, with `overrides` on top.
Environment settings_for_ranks(const Environment& overrides) {
  std::map<std::string, std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = text.substr(0, equals);
    if (name == "TUTTI" || name.starts_with("TUTTI_")) all[std::string(name)] = text.substr(equals + 1);
  }
  for (const auto& [name, value] : overrides) all[name] = value;
  return {all.begin(), all.end()};
}

Status check_program(const std::string& word, const ProgramFacts& facts) {
  if (facts.kind == ProgramFacts::Kind::is_static)
    return Status::invalid_argument(fmt::format(
        "{} is statically linked: nothing can be preloaded (link it dynamically, or run it without tutti)",
        word));
  if (facts.other_mpi)
    return Status::invalid_argument(
        fmt::format("{} uses an MPI that Tutti does not know (MPICH 4 and Open MPI 4 are)", word));
  return {};
}

/// The MPI of the program; of the launcher where the program is a script or the line has none yet.
Result<Mpi> find_mpi(const LaunchRequest& request, Launcher launcher) {
  std::optional<Mpi> mpi = mpi_of(launcher);
  const std::vector<size_t> programs = program_positions(launcher, request.line);
  if (request.needs_program && programs.empty())
    return Status::invalid_argument("no program in the launch line (tutti run -- mpirun -n 8 ./program)");
  if (!request.needs_program) {
    if (mpi) return *mpi;
    return Status::invalid_argument(
        fmt::format("unknown launcher {} (mpirun, mpiexec or srun of MPICH or Open MPI)", request.line[0]));
  }
  for (size_t position : programs) {
    const std::string& word = request.line[position];
    const auto path = find_executable(word);
    // A path that exists on the nodes only is the launcher's business.
    if (!path && launcher != Launcher::none) continue;
    if (!path) return Status::not_found(fmt::format("{}: no such program, or not executable", word));
    const auto facts = inspect_program(*path);
    if (!facts) return facts.status();
    if (Status status = check_program(word, *facts); !status) return status;
    if (mpi && facts->mpi && *mpi != *facts->mpi)
      return Status::invalid_argument(fmt::format("{} is an {} program, but {} belongs to {}", word,
                                                  display_name(*facts->mpi), request.line[0],
                                                  display_name(*mpi)));
    if (facts->mpi) mpi = facts->mpi;
  }
  if (mpi) return *mpi;
  return Status::invalid_argument(
      fmt::format("cannot tell which MPI {} uses (it is not linked with MPICH or Open MPI); use mpirun of "
                  "that MPI by its full name",
                  request.line[programs[0]]));
}

}  // namespace

Result<Launch> prepare(const LaunchRequest& request) {
  if (request.line.empty())
    return Status::invalid_argument("nothing to run (tutti run -- mpirun -n 8 ./program)");
  const Launcher launcher = identify(request.line[0]);
  if (launcher == Launcher::none && !find_executable(request.line[0]))
    return Status::not_found(fmt::format("{}: no such command", request.line[0]));
  const auto mpi = find_mpi(request, launcher);
  if (!mpi) return mpi.status();
  const auto library = preload_library(*mpi);
  if (!library) return library.status();
  std::string preload = library->string();
  // The launcher's own LD_PRELOAD reaches ranks on this machine by itself; ours would hide it.
  if (const char* inherited = std::getenv("LD_PRELOAD"); inherited != nullptr && *inherited != '\0')
    preload += fmt::format(":{}", inherited);
  return Launch{with_environment(launcher, request.line, preload, settings_for_ranks(request.settings)),
                *mpi};
}

int execute(const Words& line) {
  std::vector<char*> arguments;
  for (const std::string& word : line) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  const int error = errno;
  return fail(fmt::format("cannot run {}: {}", line[0], std::generic_category().message(error)),
              error == ENOENT ? 127 : 126);
}

}  // namespace tutti::command
