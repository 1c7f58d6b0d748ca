#include "command/launcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

#include "command/program.hpp"
#include "command/shell.hpp"

namespace tutti::command {

namespace fs = std::filesystem;

namespace {

struct Option {
  std::string_view name;
  size_t values;  // words that follow it
};

// Options that take values, from each launcher's manual page; all others take none (or write it after a '=').
constexpr auto k_hydra_options = std::to_array<Option>({
    {"-n", 1},
    {"-np", 1},
    {"-f", 1},
    {"-hosts", 1},
    {"-host", 1},
    {"-hostlist", 1},
    {"-ppn", 1},
    {"-perhost", 1},
    {"-machinefile", 1},
    {"-machine", 1},
    {"-hostfile", 1},
    {"-genv", 2},
    {"-env", 2},
    {"-genvlist", 1},
    {"-envlist", 1},
    {"-wdir", 1},
    {"-dir", 1},
    {"-configfile", 1},
    {"-launcher", 1},
    {"-bootstrap", 1},
    {"-launcher-exec", 1},
    {"-bootstrap-exec", 1},
    {"-rmk", 1},
    {"-bind-to", 1},
    {"-map-by", 1},
    {"-membind", 1},
    {"-topolib", 1},
    {"-iface", 1},
    {"-localhost", 1},
    {"-usize", 1},
    {"-outfile-pattern", 1},
    {"-errfile-pattern", 1},
    {"-outfile", 1},
    {"-errfile", 1},
    {"-prepend-pattern", 1},
    {"-demux", 1},
    {"-order-nodes", 1},
    {"-errcodes", 1},
    {"-pmi-port-range", 1},
    {"-port-range", 1},
    {"-timeout", 1},
    {"-s", 1},
    {"-stdin", 1},
    {"-soft", 1},
    {"-arch", 1},
    {"-path", 1},
    {"-gpus-per-proc", 1},
    {"-gpu-subdevs-per-proc", 1},
    {"-ckpointlib", 1},
    {"-ckpoint-prefix", 1},
    {"-ckpoint-num", 1},
    {"-ckpoint-interval", 1},
});

constexpr auto k_openmpi_options = std::to_array<Option>({
    {"-n", 1},
    {"-np", 1},
    {"-c", 1},
    {"-host", 1},
    {"-H", 1},
    {"-hostfile", 1},
    {"-machinefile", 1},
    {"-default-hostfile", 1},
    {"-x", 1},
    {"-mca", 2},
    {"-gmca", 2},
    {"-omca", 2},
    {"-pmca", 2},
    {"-prtemca", 2},
    {"-gprtemca", 2},
    {"-pmixmca", 2},
    {"-gpmixmca", 2},
    {"-add-host", 1},
    {"-add-hostfile", 1},
    {"-spawn-timeout", 1},
    {"-keepalive", 1},
    {"-singleton", 1},
    {"-tmpdir", 1},
    {"-dvm-uri", 1},
    {"-nspace", 1},
    {"-namespace", 1},
    {"-am", 1},
    {"-tune", 1},
    {"-map-by", 1},
    {"-bind-to", 1},
    {"-rank-by", 1},
    {"-wdir", 1},
    {"-wd", 1},
    {"-set-cwd-to-session-dir", 0},
    {"-path", 1},
    {"-prefix", 1},
    {"-app", 1},
    {"-npernode", 1},
    {"-N", 1},
    {"-npersocket", 1},
    {"-num-proc", 1},
    {"-cpus-per-proc", 1},
    {"-cpus-per-rank", 1},
    {"-rankfile", 1},
    {"-rf", 1},
    {"-cpu-set", 1},
    {"-cpu-list", 1},
    {"-slot-list", 1},
    {"-stdin", 1},
    {"-output-filename", 1},
    {"-output", 1},
    {"-xterm", 1},
    {"-timeout", 1},
    {"-personality", 1},
    {"-ompi-server", 1},
    {"-report-uri", 1},
    {"-report-pid", 1},
    {"-max-restarts", 1},
    {"-launch-agent", 1},
    {"-preload-files", 1},
    {"-dvm", 1},
    {"-hnp", 1},
    {"-runtime-options", 1},
    {"-display", 1},
    {"-pset", 1},
    {"-with-ft", 1},
    {"-debugger", 1},
    {"-tv", 0},
});

constexpr auto k_slurm_options = std::to_array<Option>({
    {"-n", 1},
    {"-N", 1},
    {"-c", 1},
    {"-p", 1},
    {"-t", 1},
    {"-A", 1},
    {"-J", 1},
    {"-w", 1},
    {"-x", 1},
    {"-o", 1},
    {"-e", 1},
    {"-i", 1},
    {"-D", 1},
    {"-d", 1},
    {"-m", 1},
    {"-q", 1},
    {"-C", 1},
    {"-B", 1},
    {"-T", 1},
    {"-W", 1},
    {"-r", 1},
    {"-S", 1},
    {"-G", 1},
    {"-M", 1},
    {"-a", 1},
    {"-L", 1},
    {"-I", 0},
    {"--mpi", 1},
    {"--ntasks", 1},
    {"--nodes", 1},
    {"--cpus-per-task", 1},
    {"--partition", 1},
    {"--time", 1},
    {"--account", 1},
    {"--job-name", 1},
    {"--nodelist", 1},
    {"--exclude", 1},
    {"--output", 1},
    {"--error", 1},
    {"--input", 1},
    {"--chdir", 1},
    {"--export", 1},
    {"--ntasks-per-node", 1},
    {"--mem", 1},
    {"--gres", 1},
    {"--distribution", 1},
    {"--cpu-bind", 1},
    {"--constraint", 1},
    {"--qos", 1},
    {"--reservation", 1},
    {"--het-group", 1},
    {"--multi-prog", 0},
});

constexpr auto k_flux_options = std::to_array<Option>({
    {"-n", 1},
    {"-N", 1},
    {"-c", 1},
    {"-g", 1},
    {"-t", 1},
    {"-o", 1},
    {"-S", 1},
    {"-q", 1},
    {"-B", 1},
    {"--ntasks", 1},
    {"--nodes", 1},
    {"--nslots", 1},
    {"--cores", 1},
    {"--cores-per-task", 1},
    {"--gpus-per-task", 1},
    {"--gpus-per-node", 1},
    {"--tasks-per-node", 1},
    {"--tasks-per-core", 1},
    {"--time-limit", 1},
    {"--setopt", 1},
    {"--setattr", 1},
    {"--queue", 1},
    {"--bank", 1},
    {"--urgency", 1},
    {"--job-name", 1},
    {"--env", 1},
    {"--env-remove", 1},
    {"--env-file", 1},
    {"--rlimit", 1},
    {"--input", 1},
    {"--output", 1},
    {"--error", 1},
    {"--cwd", 1},
    {"--begin-time", 1},
    {"--dependency", 1},
    {"--requires", 1},
    {"--signal", 1},
    {"--taskmap", 1},
    {"--log", 1},
    {"--log-stderr", 1},
    {"--add-file", 1},
    {"--flags", 1},
    {"--conf", 1},
});

std::span<const Option> options_of(Launcher launcher) {
  switch (launcher) {
    case Launcher::hydra:
      return k_hydra_options;
    case Launcher::openmpi:
      return k_openmpi_options;
    case Launcher::slurm:
      return k_slurm_options;
    case Launcher::flux:
      return k_flux_options;
    case Launcher::none:
      break;
  }
  return {};
}

/// Both mpiruns take one dash or two alike.
bool same_option(Launcher launcher, std::string_view word, std::string_view name) {
  const bool is_mpirun = launcher == Launcher::hydra || launcher == Launcher::openmpi;
  if (is_mpirun && word.starts_with("--")) word.remove_prefix(1);
  return word == name;
}

bool sets_hydra_variable(std::string_view word) {
  return same_option(Launcher::hydra, word, "-genv") || same_option(Launcher::hydra, word, "-env");
}

/// How many words after the option at `i` are its values.
size_t values_after(Launcher launcher, const Words& line, size_t i) {
  // Hydra reads "-genv NAME VALUE" and "-genv NAME=VALUE".
  if (launcher == Launcher::hydra && sets_hydra_variable(line[i]) && i + 1 < line.size() &&
      line[i + 1].find('=') != std::string::npos)
    return 1;
  for (const Option& option : options_of(launcher))
    if (same_option(launcher, line[i], option.name)) return option.values;
  return 0;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// What a launcher's name alone tells: mpiexec.hydra, mpirun.openmpi, orterun, srun, …
std::optional<Launcher> launcher_named(std::string_view name) {
  const bool is_mpirun = name.starts_with("mpirun") || name.starts_with("mpiexec");
  if (is_mpirun && (contains(name, "hydra") || contains(name, "mpich"))) return Launcher::hydra;
  if (is_mpirun && contains(name, "openmpi")) return Launcher::openmpi;
  if (name == "orterun" || name == "prterun" || name == "prun") return Launcher::openmpi;
  if (name == "srun") return Launcher::slurm;
  if (name == "flux") return Launcher::flux;
  return std::nullopt;
}

/// The first lines of `path --version`.
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

constexpr std::string_view k_preload = "LD_PRELOAD";

/// The value that an option and its values give to LD_PRELOAD; empty where it only passes it on (-x
/// LD_PRELOAD), nothing where the option is about something else.
std::optional<std::string> preload_in(Launcher launcher, std::span<const std::string> words) {
  const bool sets = launcher == Launcher::hydra
                        ? sets_hydra_variable(words[0])
                        : launcher == Launcher::openmpi && same_option(launcher, words[0], "-x");
  if (!sets || words.size() < 2) return std::nullopt;
  if (words[1] == k_preload) return words.size() > 2 ? words[2] : std::string{};
  if (words[1].starts_with("LD_PRELOAD=")) return words[1].substr(k_preload.size() + 1);
  return std::nullopt;
}

/// Takes every "-genv LD_PRELOAD x", "-x LD_PRELOAD=x" and the like out of the options of one application
/// context, and returns the values: one that stayed would hide Tutti's.
std::string take_preload(Launcher launcher, Words* context) {
  std::string taken;
  for (size_t i = 0; i < context->size();) {
    const size_t count = std::min(1 + values_after(launcher, *context, i), context->size() - i);
    const auto value = preload_in(launcher, std::span(*context).subspan(i, count));
    if (!value) {
      i += count;
      continue;
    }
    if (!value->empty()) taken = joined(*value, taken);  // the later one would have won
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

/// The list of --export with Tutti's preload in front of what it preloads itself, and the settings by name:
/// values may hold commas, which the list cannot.
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

/// The options of one component of an srun line with what has to be exported.
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

/// srun hands its environment on, so the settings go into srun's own; the preload must not reach srun. Each
/// component of a heterogeneous job has an --export of its own.
Words with_slurm_export(const Words& line, const std::string& preload, const Environment& settings) {
  std::vector<size_t> programs = program_positions(Launcher::slurm, line);
  if (programs.empty()) programs.push_back(line.size());  // it is still to come
  Words result;
  if (!settings.empty()) result.emplace_back("env");
  for (const auto& [name, value] : settings) result.push_back(name + '=' + value);
  result.push_back(line[0]);
  auto next = line.begin() + 1;
  for (const size_t position : programs) {
    const auto program = line.begin() + static_cast<std::ptrdiff_t>(position);
    // The previous program with its arguments, up to the colon.
    const auto begin = position == programs.front() ? next : std::find(next, program, ":") + 1;
    result.insert(result.end(), next, begin);
    const Words options = with_slurm_option({begin, program}, preload, settings);
    result.insert(result.end(), options.begin(), options.end());
    next = program;
  }
  result.insert(result.end(), next, line.end());
  return result;
}

/// Flux hands its environment on, and changes it by rules, in their order: so these come last. In a value, $ begins the
/// name of a variable.
Words with_flux_rules(Words line, const std::string& preload, const Environment& settings) {
  constexpr std::string_view k_option = "--env=";
  const std::string theirs_begin = fmt::format("{}=", k_preload);
  const std::vector<size_t> programs = program_positions(Launcher::flux, line);
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
    theirs = rule.substr(theirs_begin.size());  // the later one would have won
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

/// Without a launcher that is known: `env LD_PRELOAD=… program`, which works wherever words become a process.
Words with_env_command(Launcher launcher, Words line, const std::string& preload,
                       const Environment& settings) {
  const std::vector<size_t> positions = program_positions(launcher, line);
  for (auto position = positions.rbegin(); position != positions.rend(); ++position) {
    Words prefix = {"env", fmt::format("{}={}", k_preload, preload)};
    for (const auto& [name, value] : settings) prefix.push_back(name + '=' + value);
    line.insert(line.begin() + static_cast<std::ptrdiff_t>(*position), prefix.begin(), prefix.end());
  }
  return line;
}

}  // namespace

Launcher identify(const std::string& first_word) {
  const auto path = find_executable(first_word);
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

std::vector<size_t> program_positions(Launcher launcher, const Words& line) {
  if (line.empty()) return {};
  if (launcher == Launcher::none) {
    // The line starts with the program itself, or with a launcher whose options are not known: then the
    // program is the first later word that is an MPI program.
    for (size_t i = 0; i < line.size(); ++i) {
      const auto path = find_executable(line[i]);
      if (!path) continue;
      const auto facts = inspect_program(*path);
      if (facts && facts->mpi) return {i};
    }
    return {0};
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

Words with_environment(Launcher launcher, const Words& line, const std::string& preload,
                       const Environment& settings) {
  if (launcher == Launcher::slurm) return with_slurm_export(line, preload, settings);
  if (launcher == Launcher::flux) return with_flux_rules(line, preload, settings);
  if (launcher == Launcher::none) return with_env_command(launcher, line, preload, settings);
  std::vector<size_t> programs = program_positions(launcher, line);
  if (programs.empty()) programs.push_back(line.size());  // it is still to come
  Words result = {line[0]};
  size_t next = 1;
  // Hydra's -genv reaches all contexts; Open MPI's -x only the one in which it stands.
  for (size_t program : programs) {
    Words context(line.begin() + static_cast<std::ptrdiff_t>(next),
                  line.begin() + static_cast<std::ptrdiff_t>(program));
    const bool first = program == programs.front();
    Words separator;
    if (!first) {
      // The previous program and everything up to the colon.
      const auto colon = std::find(context.begin(), context.end(), ":");
      separator.assign(context.begin(), colon + 1);
      context.erase(context.begin(), colon + 1);
    }
    const std::string theirs = take_preload(launcher, &context);
    result.insert(result.end(), separator.begin(), separator.end());
    // A later context of Hydra that preloads something itself would hide what -genv said.
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
