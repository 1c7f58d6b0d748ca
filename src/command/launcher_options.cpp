#include "command/launcher_options.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace tutti::command {

namespace {

struct Option {
  std::string_view name;
  size_t values;               // number of words after it
  bool chooses_hosts = false;  // can place ranks on other machines
};

constexpr bool k_chooses_hosts = true;

// Options with values, from each launcher's manual page; all others have none (or have it after '=').
constexpr auto k_hydra_options = std::to_array<Option>({
    {"-n", 1},
    {"-np", 1},
    {"-f", 1, k_chooses_hosts},
    {"-hosts", 1, k_chooses_hosts},
    {"-host", 1, k_chooses_hosts},
    {"-hostlist", 1, k_chooses_hosts},
    {"-ppn", 1},
    {"-perhost", 1},
    {"-machinefile", 1, k_chooses_hosts},
    {"-machine", 1, k_chooses_hosts},
    {"-hostfile", 1, k_chooses_hosts},
    {"-genv", 2},
    {"-env", 2},
    {"-genvlist", 1},
    {"-envlist", 1},
    {"-wdir", 1},
    {"-dir", 1},
    {"-configfile", 1, k_chooses_hosts},
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
    {"-host", 1, k_chooses_hosts},
    {"-H", 1, k_chooses_hosts},
    {"-hostfile", 1, k_chooses_hosts},
    {"-machinefile", 1, k_chooses_hosts},
    {"-default-hostfile", 1, k_chooses_hosts},
    {"-x", 1},
    {"-mca", 2},
    {"-gmca", 2},
    {"-omca", 2},
    {"-pmca", 2},
    {"-prtemca", 2},
    {"-gprtemca", 2},
    {"-pmixmca", 2},
    {"-gpmixmca", 2},
    {"-add-host", 1, k_chooses_hosts},
    {"-add-hostfile", 1, k_chooses_hosts},
    {"-spawn-timeout", 1},
    {"-keepalive", 1},
    {"-singleton", 1},
    {"-tmpdir", 1},
    {"-dvm-uri", 1, k_chooses_hosts},
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
    {"-app", 1, k_chooses_hosts},
    {"-npernode", 1},
    {"-N", 1},
    {"-npersocket", 1},
    {"-num-proc", 1},
    {"-cpus-per-proc", 1},
    {"-cpus-per-rank", 1},
    {"-rankfile", 1, k_chooses_hosts},
    {"-rf", 1, k_chooses_hosts},
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
    {"-dvm", 1, k_chooses_hosts},
    {"-hnp", 1, k_chooses_hosts},
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

}  // namespace

/// Both mpiruns accept one dash or two.
bool same_option(Launcher launcher, std::string_view word, std::string_view name) {
  const bool is_mpirun = launcher == Launcher::hydra || launcher == Launcher::openmpi;
  if (is_mpirun && word.starts_with("--")) word.remove_prefix(1);
  return word == name;
}

bool sets_hydra_variable(std::string_view word) {
  return same_option(Launcher::hydra, word, "-genv") || same_option(Launcher::hydra, word, "-env");
}

bool chooses_hosts(Launcher launcher, std::string_view word) {
  return std::ranges::any_of(options_of(launcher), [&](const Option& option) {
    return option.chooses_hosts && same_option(launcher, word.substr(0, word.find('=')), option.name);
  });
}

std::optional<size_t> place_of_program_file(Launcher launcher, const Words& line) {
  for (size_t i = 1; i + 1 < line.size(); ++i)
    if (same_option(launcher, line[i], launcher == Launcher::hydra ? "-configfile" : "-app")) return i + 1;
  return std::nullopt;
}

size_t values_after(Launcher launcher, const Words& line, size_t i) {
  // Hydra accepts "-genv NAME VALUE" and "-genv NAME=VALUE".
  if (launcher == Launcher::hydra && sets_hydra_variable(line[i]) && i + 1 < line.size() &&
      line[i + 1].find('=') != std::string::npos)
    return 1;
  for (const Option& option : options_of(launcher))
    if (same_option(launcher, line[i], option.name)) return option.values;
  return 0;
}

}  // namespace tutti::command
