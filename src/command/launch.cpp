#include "command/launch.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <system_error>

#include "base/environment.hpp"
#include "base/executable.hpp"
#include "base/file.hpp"
#include "command/command.hpp"
#include "command/launcher_options.hpp"
#include "command/program.hpp"
#include "command/shell.hpp"

namespace tutti::command {

namespace fs = std::filesystem;
using base::Result;
using base::Status;

namespace {

// Exit statuses of shells.
constexpr int k_not_executable = 126, k_not_found = 127;

// Open MPI's list of variables for all ranks, which excludes -x.
constexpr const char* k_list_variable = "OMPI_MCA_mca_base_env_list";

/// All TUTTI_* settings for the ranks: those of this process's environment, overridden by `overrides`.
Environment settings_for_ranks(const Environment& overrides) {
  std::map<std::string, std::string> all;
  for (const char* const* entry = base::environment_of_process(); *entry != nullptr; ++entry) {
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

/// The MPI that the user names, or that of the launcher.
Result<std::optional<Mpi>> given_mpi(const LaunchRequest& request, Launcher launcher) {
  const std::optional<Mpi> of_launcher = mpi_of(launcher);
  if (!request.mpi || !of_launcher || *request.mpi == *of_launcher)
    return request.mpi ? request.mpi : of_launcher;
  return Status::invalid_argument(fmt::format("--mpi {}: {} belongs to {}", to_string(*request.mpi),
                                              request.line[0], display_name(*of_launcher)));
}

/// The MPI for a launcher to which the program will be appended.
Result<Mpi> mpi_of_bare_launcher(const LaunchRequest& request, Launcher launcher, std::optional<Mpi> mpi) {
  if (launcher == Launcher::none)
    return Status::invalid_argument(fmt::format(
        "unknown launcher {} (mpirun or mpiexec of MPICH or Open MPI, srun or flux run)", request.line[0]));
  if (const auto programs = command_positions(launcher, request.line); !programs.empty())
    return Status::invalid_argument(fmt::format(
        "{} is one program too many: bench and tune bring their own (like tutti bench -- {} -n 4)",
        request.line[programs[0]], request.line[0]));
  if (mpi) return *mpi;
  return Status::invalid_argument(
      fmt::format("cannot tell which MPI {} starts: name it before the --, --mpi mpich or --mpi openmpi",
                  request.line[0]));
}

/// The MPI of the program; that of the launcher if the program is a script, or is still to be appended.
Result<Mpi> find_mpi(const LaunchRequest& request, Launcher launcher) {
  const auto given = given_mpi(request, launcher);
  if (!given) return given.status();
  std::optional<Mpi> mpi = *given;
  if (!request.needs_program) return mpi_of_bare_launcher(request, launcher, mpi);
  const std::vector<Prefix> programs = programs_of(launcher, request.line);
  if (programs.empty() && mpi && !request.as_threads && place_of_program_file(launcher, request.line))
    return *mpi;
  if (programs.empty() && request.as_threads && place_of_program_file(launcher, request.line))
    return Status::invalid_argument(
        "--actors needs the programs in the launch line, not in a file (-configfile, --app)");
  if (programs.empty())
    return Status::invalid_argument("no program in the launch line (tutti run -- mpirun -n 8 ./program)");
  std::string whose = request.mpi ? "--mpi says" : request.line[0] + " belongs to";
  for (const Prefix& program : programs) {
    const std::string& word = request.line[program.command];
    const auto path = base::find_executable(word);
    // A path that exists only on the nodes is checked by the launcher.
    if (!path && launcher != Launcher::none) continue;
    if (!path) return Status::not_found(fmt::format("{}: no such program, or not executable", word));
    const auto facts = inspect_program(*path);
    if (!facts) return facts.status();
    if (Status status = check_program(word, *facts); !status) return status;
    if (mpi && facts->mpi && *mpi != *facts->mpi)
      return Status::invalid_argument(fmt::format("{} is an {} program, but {} {}", word,
                                                  display_name(*facts->mpi), whose, display_name(*mpi)));
    if (facts->mpi && !mpi) whose = word + " uses";
    if (facts->mpi) mpi = facts->mpi;
  }
  if (mpi) return *mpi;
  return Status::invalid_argument(
      fmt::format("cannot tell which MPI {} uses (it is not linked with MPICH or Open MPI); name it, --mpi "
                  "mpich or --mpi openmpi, or use mpirun of that MPI by its full name",
                  request.line[programs[0].command]));
}

std::optional<Obstacle> obstacle_of(const std::string& word, std::string_view kind) {
  if (base::find_executable(word)) return std::nullopt;
  std::error_code error;
  const bool is_path = word.find('/') != std::string::npos;
  if (!is_path || !std::filesystem::exists(word, error))
    return Obstacle{fmt::format("{}: no such {}", word, kind), k_not_found};
  if (std::filesystem::is_directory(word, error))
    return Obstacle{fmt::format("{} is a folder, not a {}", word, kind), k_not_executable};
  return Obstacle{fmt::format("{} is not executable (chmod +x)", word), k_not_executable};
}

/// Asks the container program whether `word` can run as threads. Programs that exist only on the nodes are not checked
/// here.
Status check_as_threads(const fs::path& container, const std::string& word) {
  const auto path = base::find_executable(word);
  if (!path) return {};
  const std::string command =
      fmt::format("{} --check {} 2>&1 </dev/null", quoted_for_shell(container.string()),
                  quoted_for_shell(path->string()));
  // NOLINTNEXTLINE(cert-env33-c): quoted for the shell, and a program of ours
  FILE* const output = popen(command.c_str(), "r");
  if (output == nullptr) return Status::system("cannot look at the program", errno);
  std::string text(4096, '\0');
  text.resize(fread(text.data(), 1, text.size(), output));
  if (pclose(output) == 0) return {};
  text = text.substr(0, text.find('\n'));
  constexpr std::string_view k_begin = "tutti: ";
  return Status::not_supported(text.starts_with(k_begin) ? text.substr(k_begin.size()) : text);
}

Result<Launch> prepare_threads(const LaunchRequest& request, Launcher launcher, Mpi mpi) {
  const auto container = helper_program("tutti-actors", mpi);
  if (!container) return container.status();
  for (const Prefix& program : programs_of(launcher, request.line))
    if (Status status = check_as_threads(*container, request.line[program.command]); !status) return status;
  return Launch{with_program_in_front(launcher, request.line, container->string(),
                                      settings_for_ranks(request.settings)),
                mpi};
}

/// Whether the program's file raises its privileges; then the loader ignores LD_PRELOAD.
bool has_raised_privileges(const fs::path& program) {
  struct stat about {};
  if (stat(program.c_str(), &about) != 0) return false;
  return ((about.st_mode & S_ISUID) != 0 && about.st_uid != getuid()) ||
         ((about.st_mode & S_ISGID) != 0 && about.st_gid != getgid());
}

/// Why Tutti does not reach the first program that it cannot reach; empty: no obstacle was found.
std::string obstacle_in(const std::vector<Prefix>& programs, const Words& line) {
  for (const Prefix& program : programs) {
    const std::string& word = line[program.command];
    if (!program.hides_preload.empty())
      return fmt::format("{} in front of {} takes LD_PRELOAD from it", program.hides_preload, word);
    const auto path = base::find_executable(word);
    if (!path) continue;
    if (has_raised_privileges(*path))
      return fmt::format(
          "{} has other rights than its user (setuid, setgid), so nothing is preloaded into it", word);
    const auto facts = inspect_program(*path);
    if (facts && facts->kind == ProgramFacts::Kind::dynamic && !facts->mpi)
      return fmt::format("{} is not linked with an MPI", word);
  }
  return {};
}

/// Library that must be loaded before Tutti's, if a program needs one.
std::string first_library_of(const std::vector<Prefix>& programs, const Words& line) {
  for (const Prefix& program : programs) {
    const auto path = base::find_executable(line[program.command]);
    const auto facts = path ? inspect_program(*path) : Result<ProgramFacts>(ProgramFacts{});
    if (facts && !facts->first_library.empty()) return facts->first_library;
  }
  return {};
}

/// Open MPI's -x in the line does not reach the programs in a file (--app), and a list of variables for all of them
/// (mca_base_env_list) excludes -x in the file. So the launcher reads a copy with the variables, which is removed when
/// it ends.
Result<Words> with_program_file(Words line, size_t place, const std::string& preload,
                                const Environment& settings) {
  if (preload.find(' ') != std::string::npos)
    return Status::not_supported(fmt::format(
        "{}: a file of programs cannot preload {}, which has a space; give the programs in the line",
        line[place], preload));
  const auto text = base::read_file(line[place]);
  if (!text) return text.status();
  const std::string copy = program_file_with_environment(*text, preload, settings);
  const int file = memfd_create("tutti-programs", 0);
  if (file < 0 || write(file, copy.data(), copy.size()) != static_cast<ssize_t>(copy.size()))
    return Status::system("cannot copy " + line[place], errno);
  line[place] = fmt::format("/proc/self/fd/{}", file);
  Words words = {"env"};
  for (const auto& [name, value] : settings) words.push_back(name + '=' + value);
  line.insert(line.begin(), words.begin(), words.end());
  return line;
}

Result<Launch> prepare_processes(const LaunchRequest& request, Launcher launcher, Mpi mpi) {
  const auto library = preload_library(mpi);
  if (!library) return library.status();
  const std::vector<Prefix> programs = programs_of(launcher, request.line);
  std::string preload = library->string();
  if (const std::string first = first_library_of(programs, request.line); !first.empty())
    preload = fmt::format("{}:{}", first, preload);
  // The launcher's own LD_PRELOAD reaches ranks on this machine by inheritance; Tutti's would replace it.
  if (const char* inherited = std::getenv("LD_PRELOAD"); inherited != nullptr && *inherited != '\0')
    preload += fmt::format(":{}", inherited);
  Environment settings = settings_for_ranks(request.settings);
  Words theirs = request.line;
  const char* const list = launcher == Launcher::openmpi ? std::getenv(k_list_variable) : nullptr;
  if (launcher == Launcher::openmpi) {
    Environment variables = take_environment_lists(&theirs);
    if (variables.empty() && list != nullptr) variables = variables_of_list(list);
    for (const auto& [name, value] : variables)
      if (name == k_preload)
        preload += ':' + value;
      else
        settings.emplace_back(name, value);
  }
  Result<Words> line = with_environment(launcher, theirs, preload, settings);
  if (const auto place = place_of_program_file(launcher, theirs);
      place && launcher == Launcher::openmpi && programs.empty())
    line = with_program_file(theirs, *place, preload, settings);
  if (!line) return line.status();
  if (list != nullptr) line->insert(line->begin(), {"env", "-u", k_list_variable});
  return Launch{*line, mpi, obstacle_in(programs, request.line), stays_on_machine(launcher, request.line)};
}

/// Whether the line has options that change the folder in which programs are looked up.
bool changes_folder(const Words& line) {
  return std::any_of(line.begin(), line.end(), [](std::string_view word) {
    word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
    word = word.substr(0, word.find('='));
    return word == "wdir" || word == "wd" || word == "dir" || word == "path" || word == "chdir" ||
           word == "cwd" || word == "D";
  });
}

}  // namespace

Words without_prefix(const Words& line) {
  return {line.begin() + static_cast<std::ptrdiff_t>(read_prefix(line).command), line.end()};
}

std::optional<Mpi> mpi_named(std::string_view name) {
  for (const Mpi mpi : {Mpi::mpich, Mpi::openmpi})
    if (to_string(mpi) == name) return mpi;
  return std::nullopt;
}

std::optional<Obstacle> find_obstacle(const Words& whole) {
  if (auto obstacle = obstacle_of(whole.at(0), "command")) return obstacle;
  const Words line = without_prefix(whole);
  if (auto obstacle = obstacle_of(line[0], "command")) return obstacle;
  const Launcher launcher = identify_line(line);
  if (launcher == Launcher::none || changes_folder(line)) return std::nullopt;
  // Programs may exist only on the nodes, but then all of them.
  std::optional<Obstacle> first;
  const std::vector<Prefix> programs = programs_of(launcher, line);
  size_t missing = 0;
  for (const Prefix& program : programs) {
    auto obstacle = obstacle_of(line[program.command], "program");
    if (!obstacle) continue;
    ++missing;
    if (!first) first = std::move(obstacle);
  }
  return first && (missing < programs.size() || first->status != k_not_found) ? first : std::nullopt;
}

Result<Launch> prepare(const LaunchRequest& whole) {
  if (whole.line.empty())
    return Status::invalid_argument("nothing to run (tutti run -- mpirun -n 8 ./program)");
  if (const auto obstacle = find_obstacle(whole.line)) return Status::not_found(obstacle->message);
  LaunchRequest request = whole;
  request.line = without_prefix(whole.line);
  const Launcher launcher = identify_line(request.line);
  const auto mpi = find_mpi(request, launcher);
  if (!mpi) return mpi.status();
  auto launch = request.as_threads ? prepare_threads(request, launcher, *mpi)
                                   : prepare_processes(request, launcher, *mpi);
  if (launch)
    launch->line.insert(launch->line.begin(), whole.line.begin(),
                        whole.line.end() - static_cast<std::ptrdiff_t>(request.line.size()));
  return launch;
}

int execute(const Words& line) {
  std::vector<char*> arguments;
  for (const std::string& word : line) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  const int error = errno;
  return fail(fmt::format("cannot run {}: {}", line[0], std::generic_category().message(error)),
              error == ENOENT ? k_not_found : k_not_executable);
}

}  // namespace tutti::command
