#include "command/launcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string_view>

#include "base/executable.hpp"
#include "command/launcher_options.hpp"
#include "command/program.hpp"
#include "command/shell.hpp"

namespace tutti::command {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view k_environment_list = "mca_base_env_list";

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// The launcher, if its name is specific: mpiexec.hydra, mpirun.openmpi, orterun, srun, …
std::optional<Launcher> launcher_named(std::string_view name) {
  const bool is_mpirun = name.starts_with("mpirun") || name.starts_with("mpiexec");
  if (is_mpirun && (contains(name, "hydra") || contains(name, "mpich"))) return Launcher::hydra;
  if (is_mpirun && contains(name, "openmpi")) return Launcher::openmpi;
  if (name == "orterun" || name == "prterun" || name == "prun") return Launcher::openmpi;
  if (name == "srun") return Launcher::slurm;
  if (name == "flux") return Launcher::flux;
  return std::nullopt;
}

/// The first lines of the output of `path --version`.
std::string version_of(const fs::path& path) {
  const std::string command = quoted_for_shell(path.string()) + " --version 2>&1 </dev/null";
  // NOLINTNEXTLINE(cert-env33-c): quoted for the shell, and a path that the shell itself would have started
  const std::unique_ptr<FILE, int (*)(FILE*)> output(popen(command.c_str(), "r"), pclose);
  std::string text(2048, '\0');
  text.resize(output ? fread(text.data(), 1, text.size(), output.get()) : 0);
  return text;
}

std::string joined(const std::string& ours, const std::string& theirs) {
  return theirs.empty() ? ours : ours + ':' + theirs;
}

/// The value that an option gives to LD_PRELOAD; empty if it only exports the variable (-x LD_PRELOAD), nullopt if it
/// is another option.
std::optional<std::string> preload_in(Launcher launcher, std::span<const std::string> words) {
  const bool sets = launcher == Launcher::hydra
                        ? sets_hydra_variable(words[0])
                        : launcher == Launcher::openmpi && same_option(launcher, words[0], "-x");
  if (!sets || words.size() < 2) return std::nullopt;
  if (words[1] == k_preload) return words.size() > 2 ? words[2] : std::string{};
  if (words[1].starts_with("LD_PRELOAD=")) return words[1].substr(k_preload.size() + 1);
  return std::nullopt;
}

/// Removes every "-genv LD_PRELOAD x", "-x LD_PRELOAD=x" and similar from the options of one application context, and
/// returns the values: a remaining one would override Tutti's.
std::string take_preload(Launcher launcher, Words* context) {
  std::string taken;
  for (size_t i = 0; i < context->size();) {
    const size_t count = std::min(1 + values_after(launcher, *context, i), context->size() - i);
    const auto value = preload_in(launcher, std::span(*context).subspan(i, count));
    if (!value) {
      i += count;
      continue;
    }
    if (!value->empty()) taken = joined(*value, taken);  // the last one takes precedence
    const auto first = context->begin() + static_cast<std::ptrdiff_t>(i);
    context->erase(first, first + static_cast<std::ptrdiff_t>(count));
  }
  return taken;
}

Words environment_options(Launcher launcher, bool global, const std::string& preload,
                          const Environment& settings) {
  Words options;
  const auto add = [&](const std::string& name, const std::string& value) {
    if (launcher == Launcher::hydra)
      options.insert(options.end(), {global ? "-genv" : "-env", name, value});
    else
      options.insert(options.end(), {"-x", name + '=' + value});
  };
  add(std::string(k_preload), preload);
  for (const auto& [name, value] : settings) add(name, value);
  return options;
}

/// The list of --export with Tutti's library before those that the list preloads, and with the names of the settings
/// only: the list cannot contain values with commas.
std::string slurm_export(std::string_view list, const std::string& preload, const Environment& settings) {
  std::string kept, theirs;
  while (!list.empty()) {
    const std::string_view item = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), item.size() + 1));
    if (item.starts_with("LD_PRELOAD="))
      theirs = item.substr(k_preload.size() + 1);
    else if (item != k_preload && item != "NONE" && item != "NIL" && !item.empty())
      kept += std::string(item) + ',';
  }
  const bool hands_all_on = (',' + kept).find(",ALL,") != std::string::npos;
  if (!hands_all_on)
    for (const auto& [name, value] : settings) kept += name + ',';
  return fmt::format("{}{}={}", kept, k_preload, joined(preload, theirs));
}

/// The options of one component of an srun line, with the variables to export.
Words with_slurm_option(Words options, const std::string& preload, const Environment& settings) {
  constexpr std::string_view k_option = "--export=";
  bool found = false;
  for (size_t i = 0; i < options.size(); ++i) {
    if (options[i].starts_with(k_option)) {
      options[i] = k_option.data() + slurm_export(options[i].substr(k_option.size()), preload, settings);
      found = true;
    } else if (options[i] == "--export" && i + 1 < options.size()) {
      options[i + 1] = slurm_export(options[i + 1], preload, settings);
      found = true;
    }
  }
  if (!found) options.insert(options.begin(), k_option.data() + slurm_export("ALL", preload, settings));
  return options;
}

/// srun exports its environment, so the settings are put into srun's own; the preload must not affect srun itself. Each
/// component of a heterogeneous job has its own --export.
Words with_slurm_export(const Words& line, const std::string& preload, const Environment& settings) {
  std::vector<size_t> programs = command_positions(Launcher::slurm, line);
  if (programs.empty()) programs.push_back(line.size());  // still to be appended
  Words result;
  if (!settings.empty()) result.emplace_back("env");
  for (const auto& [name, value] : settings) result.push_back(name + '=' + value);
  result.push_back(line[0]);
  auto next = line.begin() + 1;
  for (const size_t position : programs) {
    const auto program = line.begin() + static_cast<std::ptrdiff_t>(position);
    // The previous program and its arguments, up to the colon.
    const auto begin = position == programs.front() ? next : std::find(next, program, ":") + 1;
    result.insert(result.end(), next, begin);
    const Words options = with_slurm_option({begin, program}, preload, settings);
    result.insert(result.end(), options.begin(), options.end());
    next = program;
  }
  result.insert(result.end(), next, line.end());
  return result;
}

/// Flux exports its environment, and changes it by rules in their order, so these come last. $ in a value starts the
/// name of a variable.
Words with_flux_rules(Words line, const std::string& preload, const Environment& settings) {
  constexpr std::string_view k_option = "--env=";
  const std::string theirs_begin = fmt::format("{}=", k_preload);
  const std::vector<size_t> programs = command_positions(Launcher::flux, line);
  size_t end = programs.empty() ? line.size() : programs.front();
  std::string theirs;
  for (size_t i = 2; i < end;) {
    const bool is_split = line[i] == "--env" && i + 1 < end;
    std::string_view rule = is_split ? std::string_view(line[i + 1]) : std::string_view(line[i]);
    if (!is_split && rule.starts_with(k_option)) rule.remove_prefix(k_option.size());
    const size_t words = is_split ? 2 : 1 + values_after(Launcher::flux, line, i);
    if (!rule.starts_with(theirs_begin)) {
      i += words;
      continue;
    }
    theirs = rule.substr(theirs_begin.size());  // the last one takes precedence
    const auto first = line.begin() + static_cast<std::ptrdiff_t>(i);
    line.erase(first, first + static_cast<std::ptrdiff_t>(words));
    end -= words;
  }
  const auto rule = [&](const std::string& name, const std::string& value) {
    std::string text = fmt::format("{}{}=", k_option, name);
    for (const char letter : value) text += letter == '$' ? "$$" : std::string(1, letter);
    return text;
  };
  Words rules = {joined(rule(std::string(k_preload), preload), theirs)};
  for (const auto& [name, value] : settings) rules.push_back(rule(name, value));
  line.insert(line.begin() + static_cast<std::ptrdiff_t>(end), rules.begin(), rules.end());
  return line;
}

/// Without a known launcher: `env LD_PRELOAD=… program`, which works in any context that starts a process.
Words with_env_command(Launcher launcher, Words line, const std::string& preload,
                       const Environment& settings) {
  const std::vector<size_t> positions = command_positions(launcher, line);
  for (auto position = positions.rbegin(); position != positions.rend(); ++position) {
    Words prefix = {"env", fmt::format("{}={}", k_preload, preload)};
    for (const auto& [name, value] : settings) prefix.push_back(name + '=' + value);
    line.insert(line.begin() + static_cast<std::ptrdiff_t>(*position), prefix.begin(), prefix.end());
  }
  return line;
}

/// The words of a line of an --app file, as parsed by Open MPI: only spaces separate, and quotes are literal.
Words words_of_program_line(std::string_view line) {
  line = line.substr(0, std::min(line.find('#'), line.find("//")));
  Words words;
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(line.size(), word.size() + 1));
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

}  // namespace

Environment variables_of_list(std::string_view list) {
  Environment variables;
  while (!list.empty()) {
    const std::string item(list.substr(0, list.find(';')));
    list.remove_prefix(std::min(list.size(), item.size() + 1));
    const size_t equals = item.find('=');
    const char* const value =
        equals == std::string::npos ? std::getenv(item.c_str()) : item.c_str() + equals + 1;
    if (value != nullptr) variables.emplace_back(item.substr(0, equals), value);
  }
  return variables;
}

Environment take_environment_lists(Words* line) {
  Environment taken;
  const std::vector<size_t> programs = command_positions(Launcher::openmpi, *line);
  size_t end = programs.empty() ? line->size() : programs.front();
  for (size_t i = 1; i < end;) {
    const size_t words = 1 + values_after(Launcher::openmpi, *line, i);
    if (words != 3 || i + words > end || (*line)[i + 1] != k_environment_list) {
      i += words;
      continue;
    }
    std::ranges::move(variables_of_list((*line)[i + 2]), std::back_inserter(taken));
    line->erase(line->begin() + static_cast<std::ptrdiff_t>(i),
                line->begin() + static_cast<std::ptrdiff_t>(i + words));
    end -= words;
  }
  return taken;
}

std::string program_file_with_environment(std::string_view text, const std::string& preload,
                                          const Environment& settings) {
  std::string result;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    Words words = words_of_program_line(line);
    if (words.empty()) continue;
    words.insert(words.begin(), "mpirun");
    const std::vector<size_t> programs = command_positions(Launcher::openmpi, words);
    const auto program =
        words.begin() + static_cast<std::ptrdiff_t>(programs.empty() ? words.size() : programs.front());
    Words options(words.begin() + 1, program);
    result += fmt::format("-x {}={}", k_preload, joined(preload, take_preload(Launcher::openmpi, &options)));
    for (const auto& [name, value] : settings) result += " -x " + name;
    options.insert(options.end(), program, words.end());
    result += fmt::format(" {}\n", fmt::join(options, " "));
  }
  return result;
}

Words with_program_in_front(Launcher launcher, Words line, const std::string& program,
                            const Environment& settings) {
  Words words = {"env"};
  for (const auto& [name, value] : settings) words.push_back(name + '=' + value);
  words.push_back(program);
  const std::vector<Prefix> programs = programs_of(launcher, line);
  for (auto place = programs.rbegin(); place != programs.rend(); ++place)
    line.insert(line.begin() + static_cast<std::ptrdiff_t>(place->command), words.begin(), words.end());
  return line;
}

Launcher identify(const std::string& first_word) {
  const auto path = base::find_executable(first_word);
  if (!path) return Launcher::none;
  std::error_code error;
  const fs::path real = fs::canonical(*path, error);
  for (const fs::path& candidate : {*path, real})
    if (const auto known = launcher_named(candidate.filename().string())) return *known;
  if (!contains(path->filename().string(), "mpirun") && !contains(path->filename().string(), "mpiexec"))
    return Launcher::none;
  const std::string version = version_of(*path);
  if (contains(version, "HYDRA")) return Launcher::hydra;
  if (contains(version, "Open MPI") || contains(version, "OpenRTE") || contains(version, "PRRTE"))
    return Launcher::openmpi;
  return Launcher::none;
}

bool is_known_to_hand_on(std::string_view command) {
  constexpr std::array k_names = {"aprun",   "ccc_mprun", "charmrun", "ibrun",   "jsrun", "lrun",
                                  "omplace", "poe",       "runjob",   "spindle", "yhrun"};
  command.remove_prefix(command.rfind('/') + 1);
  return command.starts_with("mpirun") || command.starts_with("mpiexec") ||
         std::ranges::find(k_names, command) != k_names.end();
}

Launcher identify_line(const Words& line) {
  const Launcher launcher = identify(line.at(0));
  const bool is_run = line.size() > 1 && line[1] == "run";
  return launcher == Launcher::flux && !is_run ? Launcher::none : launcher;
}

std::optional<Mpi> mpi_of(Launcher launcher) {
  if (launcher == Launcher::hydra) return Mpi::mpich;
  if (launcher == Launcher::openmpi) return Mpi::openmpi;
  return std::nullopt;
}

std::vector<size_t> command_positions(Launcher launcher, const Words& line) {
  if (line.empty()) return {};
  if (launcher == Launcher::none) {
    // The line starts with the program itself, or with a launcher whose options are not known; then the program is the
    // first later word that names an MPI program.
    for (size_t i = 0; i < (is_known_to_hand_on(line[0]) ? line.size() : 1); ++i) {
      const auto path = base::find_executable(line[i]);
      if (!path) continue;
      const auto facts = inspect_program(*path);
      if (facts && facts->mpi) return {i};
    }
    return {read_prefix(line).command};
  }
  std::vector<size_t> positions;
  bool in_options = true;
  for (size_t i = launcher == Launcher::flux ? 2 : 1; i < line.size(); ++i) {
    if (line[i] == ":" && launcher != Launcher::flux) {
      in_options = true;
    } else if (in_options && line[i].size() > 1 && line[i][0] == '-') {
      i += values_after(launcher, line, i);
    } else if (in_options) {
      positions.push_back(i);
      in_options = false;
    }
  }
  return positions;
}

bool stays_on_machine(Launcher launcher, const Words& line) {
  if (launcher == Launcher::slurm || launcher == Launcher::flux) return false;
  // The batch system or the environment determines the hosts. An unknown command may be a launcher.
  for (const char* name : {"SLURM_JOB_ID", "PBS_NODEFILE", "LSB_HOSTS", "PE_HOSTFILE", "COBALT_NODEFILE",
                           "FLUX_JOB_ID", "HYDRA_HOST_FILE", "OMPI_MCA_orte_default_hostfile",
                           "PRTE_MCA_prte_default_hostfile", "PRTE_MCA_default_hostfile"})
    if (std::getenv(name) != nullptr) return false;
  const std::vector<size_t> commands = command_positions(launcher, line);
  if (launcher == Launcher::none) return commands == std::vector<size_t>{0};
  bool in_options = true;
  for (size_t i = 1; i < line.size(); ++i) {
    if (std::ranges::find(commands, i) != commands.end()) in_options = false;
    if (line[i] == ":") in_options = true;
    if (in_options && chooses_hosts(launcher, line[i])) return false;
  }
  return true;
}

std::vector<Prefix> programs_of(Launcher launcher, const Words& line) {
  std::vector<Prefix> programs;
  for (const size_t position : command_positions(launcher, line)) {
    size_t end = line.size();
    if (launcher != Launcher::flux && launcher != Launcher::none) {
      const auto first = line.begin() + static_cast<std::ptrdiff_t>(position);
      end = static_cast<size_t>(std::find(first, line.end(), ":") - line.begin());
    }
    programs.push_back(read_prefix(line, position, end));
  }
  return programs;
}

Words with_environment(Launcher launcher, const Words& line, const std::string& preload,
                       const Environment& settings) {
  if (launcher == Launcher::slurm) return with_slurm_export(line, preload, settings);
  if (launcher == Launcher::flux) return with_flux_rules(line, preload, settings);
  if (launcher == Launcher::none) return with_env_command(launcher, line, preload, settings);
  std::vector<size_t> programs = command_positions(launcher, line);
  if (programs.empty()) programs.push_back(line.size());  // still to be appended
  Words result = {line[0]};
  size_t next = 1;
  // Hydra's -genv applies to all contexts; Open MPI's -x only to its own.
  for (size_t program : programs) {
    Words context(line.begin() + static_cast<std::ptrdiff_t>(next),
                  line.begin() + static_cast<std::ptrdiff_t>(program));
    const bool first = program == programs.front();
    Words separator;
    if (!first) {
      // The previous program and all words up to the colon.
      const auto colon = std::find(context.begin(), context.end(), ":");
      separator.assign(context.begin(), colon + 1);
      context.erase(context.begin(), colon + 1);
    }
    const std::string theirs = take_preload(launcher, &context);
    result.insert(result.end(), separator.begin(), separator.end());
    // A later context of Hydra with a preload of its own would override -genv.
    if (first || launcher == Launcher::openmpi || !theirs.empty()) {
      const Words options = environment_options(launcher, first, joined(preload, theirs), settings);
      result.insert(result.end(), options.begin(), options.end());
    }
    result.insert(result.end(), context.begin(), context.end());
    next = program;
  }
  result.insert(result.end(), line.begin() + static_cast<std::ptrdiff_t>(next), line.end());
  return result;
}

}  // namespace tutti::command
