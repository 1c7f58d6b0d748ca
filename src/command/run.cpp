// tutti run -- mpirun -n 8 ./program: runs a program under Tutti.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/announcement.hpp"
#include "base/environment.hpp"
#include "base/settings.hpp"
#include "base/text.hpp"
#include "command/command.hpp"
#include "command/launch.hpp"
#include "command/launch_run.hpp"
#include "command/output.hpp"
#include "command/parse_error.hpp"
#include "command/rules_file.hpp"
#include "command/script.hpp"
#include "command/script_run.hpp"
#include "command/shell.hpp"
#include "command/validators.hpp"
#include "record/run_files.hpp"
#include "select/selector.hpp"

namespace tutti::command {

namespace {

struct RunOptions {
  std::string report, record, rules, learn, tune, mpi;
  std::vector<std::string> settings;
  bool verbose = false, dry_run = false, or_natively = false, actors = false;
};

/// Parses "NAME=VALUE" and checks it against the table of settings. The prefix TUTTI_ may be omitted.
base::Status add_setting(const std::string& text, Environment* settings) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos)
    return base::Status::invalid_argument(fmt::format("--set {}: expected NAME=VALUE", text));
  std::string name = text.substr(0, equals);
  if (!name.starts_with("TUTTI")) name = "TUTTI_" + name;
  const std::string value = text.substr(equals + 1);
  if (const base::NamedSetting found = base::find_setting(name, value); found.row != nullptr) {
    if (const base::Status status = base::Settings::check(*found.row, found.value); !status)
      return base::Status::invalid_argument(fmt::format("--set {}: {}", name, status.message()));
    if (found.has_former_name) fmt::print(stderr, "tutti: {}\n", found.notice());
    settings->emplace_back(found.row->name, found.value);
    return {};
  }
  std::vector<std::string_view> known;
  for (const base::Setting& row : base::settings_table()) known.push_back(row.name);
  return base::Status::invalid_argument(
      fmt::format("--set {}: unknown setting{}", name, base::did_you_mean(name, known)));
}

/// Rejects before the start what the preloaded library would only warn about: unreadable rules, unknown algorithms, and
/// invalid values, in the environment or on the command line.
base::Status check_selection(const Environment& overrides) {
  std::vector<std::string> entries;
  for (const char* const* entry = base::environment_of_process(); *entry != nullptr; ++entry) {
    const std::string_view name = std::string_view(*entry).substr(0, std::string_view(*entry).find('='));
    const auto replaces = [&](const auto& setting) { return setting.first == name; };
    if (std::none_of(overrides.begin(), overrides.end(), replaces)) entries.emplace_back(*entry);
  }
  for (const auto& [name, value] : overrides) entries.push_back(name + '=' + value);
  std::vector<const char*> environment;
  for (const std::string& entry : entries) environment.push_back(entry.c_str());
  environment.push_back(nullptr);
  std::vector<std::string> problems;
  const base::Settings settings = base::Settings::from_environment(environment.data(), &problems);
  const size_t unknown_or_bad = problems.size();
  select::Selector::from_settings(settings, &problems);
  for (size_t i = 0; i < problems.size(); ++i) {
    // An unknown name in the environment may belong to another program, so it causes only a warning, as old names do.
    if (i < unknown_or_bad &&
        (problems[i].starts_with("unknown setting") || problems[i].starts_with("old setting")))
      fmt::print(stderr, "tutti: {}\n", problems[i]);
    else
      return base::Status::invalid_argument(problems[i].substr(0, problems[i].rfind(';')));
  }
  return {};
}

/// The report of this run, from its options or the environment.
std::string report_of(const RunOptions& options) {
  if (!options.report.empty()) return options.report;
  const char* inherited = std::getenv("TUTTI_REPORT");
  return inherited != nullptr && *inherited != '\0' ? inherited : "summary";
}

std::string record_of(const RunOptions& options) {
  if (!options.record.empty()) return options.record;
  const char* inherited = std::getenv("TUTTI_RECORD");
  return inherited != nullptr ? inherited : "";
}

/// The value in a form valid for ranks, which may run in another folder; files are checked now.
base::Result<std::string> for_ranks(const std::string& name, const std::string& value) {
  if (name == "TUTTI_REPORT") return report_target(value);
  if (value.empty()) return value;
  if (name == "TUTTI_LEARN") return learnable_file(value);
  if (name == "TUTTI_RULES" || name == "TUTTI_RECORD") return std::filesystem::absolute(value).string();
  return value;
}

base::Result<Environment> settings_of(const RunOptions& options) {
  Environment settings;
  settings.emplace_back("TUTTI_REPORT", report_of(options));
  if (!options.rules.empty()) settings.emplace_back("TUTTI_RULES", options.rules);
  if (!options.learn.empty()) settings.emplace_back("TUTTI_LEARN", options.learn);
  if (!options.tune.empty()) settings.emplace_back("TUTTI_TUNE", options.tune);
  if (const std::string record = record_of(options); !record.empty())
    settings.emplace_back("TUTTI_RECORD", record);
  if (options.verbose) settings.emplace_back("TUTTI_VERBOSE", "1");
  for (const std::string& text : options.settings)
    if (const base::Status status = add_setting(text, &settings); !status) return status;
  for (auto& [name, value] : settings) {
    auto usable = for_ranks(name, value);
    if (!usable) return usable.status();
    value = std::move(*usable);
  }
  if (const base::Status status = check_selection(settings); !status) return status;
  return settings;
}

/// The effective value, because the last setting of a name takes precedence. nullptr: none.
std::string* setting_in(Environment& settings, std::string_view wanted) {
  std::string* found = nullptr;
  for (auto& [name, value] : settings)
    if (name == wanted) found = &value;
  return found;
}

/// Result of the preparation of a launch line.
struct Served {
  Launch launch;
  std::string report;
  bool is_script = false;
  std::string record;  // a folder; empty: nothing is recorded
};

base::Result<Served> as_threads(const RunOptions& options, const Words& line, const Environment& settings) {
  if (!line.empty() && is_script(line, !options.mpi.empty()))
    return base::Status::invalid_argument("--actors needs a launch line, like mpirun -n 8 ./program");
  auto launch =
      prepare({.line = line, .settings = settings, .mpi = mpi_named(options.mpi), .as_threads = true});
  if (!launch) return launch.status();
  launch->stays_here = false;  // the ranks do not announce themselves
  const auto value = [&](std::string_view name) {
    const auto found = std::ranges::find(settings, name, &Environment::value_type::first);
    return found == settings.end() ? std::string() : found->second;
  };
  return Served{std::move(*launch), value("TUTTI_REPORT"), false, value("TUTTI_RECORD")};
}

base::Result<Served> under_tutti(const RunOptions& options, const Words& line,
                                 const base::Announcements& ranks) {
  auto settings = settings_of(options);
  if (!settings) return settings.status();
  if (options.actors) return as_threads(options, line, *settings);
  const bool runs_script = !line.empty() && is_script(line, !options.mpi.empty());
  if (ranks.are_possible() && !options.dry_run && !runs_script)
    settings->emplace_back(base::k_ranks_variable, ranks.address());
  // References into settings, to which nothing is added from here on.
  std::string& report = *setting_in(*settings, "TUTTI_REPORT");
  std::string* const record = setting_in(*settings, "TUTTI_RECORD");
  if (runs_script) {
    auto words = in_front_of_launchers(line, *settings);
    if (!words) return words.status();
    return Served{{.line = std::move(*words)}, report, true, {}};
  }
  auto launch = prepare({.line = line, .settings = *settings, .mpi = mpi_named(options.mpi)});
  if (!launch) return launch.status();
  // Each job of a script that inherits the name of the report or record gets its own file.
  const uint64_t number = options.dry_run ? 0 : count_job_of_script();
  const bool has_own_report = number > 1 && options.report.empty() && is_report_file(report);
  const bool has_own_record = number > 1 && options.record.empty() && record != nullptr && !record->empty();
  if (has_own_report) report = numbered_report(report, number);
  if (has_own_record) *record += fmt::format(".{}", number);
  if (has_own_report || has_own_record) {
    launch = prepare({.line = line, .settings = *settings, .mpi = mpi_named(options.mpi)});
    if (!launch) return launch.status();
  }
  return Served{std::move(*launch), report, false, record == nullptr ? std::string() : *record};
}

/// The words after Tutti's options are the launch line, with or without "--" before it; another "--" in it belongs to
/// its program.
base::Result<Words> launch_line(const CLI::App& app, const Words& after_dashes) {
  Words words = app.remaining();
  if (words.empty()) return after_dashes;
  if (words.front().starts_with('-'))
    return base::Status::invalid_argument(fmt::format("run: unknown option {}{} (see tutti run --help)",
                                                      base::in_quotes(words.front()),
                                                      nearest_option(app, words.front())));
  if (!after_dashes.empty()) words.emplace_back("--");
  words.insert(words.end(), after_dashes.begin(), after_dashes.end());
  return words;
}

int run(const RunOptions& options, const Words& line) {
  step_aside();
  if (const auto obstacle = line.empty() ? std::nullopt : find_obstacle(line))
    return fail(obstacle->message, obstacle->status);
  const base::Announcements ranks;
  const auto served = under_tutti(options, line, ranks);
  if (!served) {
    if (!options.or_natively || line.empty()) return fail(served.status().message());
    fmt::print(stderr, "tutti: {}; this runs natively\n", served.status().message());
  }
  if (served && !options.dry_run && !served->record.empty() && record::has_record(served->record))
    return fail(fmt::format("--record: {} has the record of another run (remove it, or name another folder)",
                            served->record));
  const Words& words = served ? served->launch.line : line;
  if (options.dry_run) {
    fmt::print("{}\n", shell_line(words));
    return k_done;
  }
  if (served && served->is_script) return run_script(words, served->report);
  if (served && (!served->record.empty() || served->report != "none"))
    return run_launch(served->launch, {served->report, served->record}, ranks);
  return execute(words);
}

}  // namespace

Action add_run(CLI::App& app, const Words& line) {
  auto options = std::make_shared<RunOptions>();
  app.add_option(
      "--report", options->report,
      "report at the end: summary, none, - (JSON on standard output), or a file for `tutti explain` "
      "(default: what TUTTI_REPORT says, or summary)");
  app.add_option("--rules", options->rules, "rules file consulted before the built-in rules")
      ->check(CLI::ExistingFile);
  app.add_option("--learn", options->learn,
                 "rules file that is consulted too, and into which what the run found is merged at its end");
  app.add_option("--tune", options->tune,
                 "run-time selection: on (default), all (where the rules choose the native MPI, too), or off")
      ->check(one_of({"on", "all", "off"}));
  app.add_option("--record", options->record,
                 "a folder for the record of this run, for `tutti report`: who was late, and what it cost");
  app.add_option("--set", options->settings,
                 "a setting of this run, like BCAST=chain:segment=64K (see tutti info)");
  app.add_option(
         "--mpi", options->mpi,
         "which MPI the line starts, where neither launcher nor program tells (srun -n 2 python3 p.py)")
      ->check(one_of({"mpich", "openmpi"}));
  app.add_flag("--actors", options->actors,
               "run the ranks of a node as threads of one process (see docs/actors.md)");
  app.add_flag("--or-natively", options->or_natively, "if Tutti cannot be used, run natively with a warning");
  app.add_flag("--verbose", options->verbose, "say what is set up and what goes native");
  app.add_flag("--dry-run", options->dry_run,
               "print the launch line, as a shell reads it, instead of running it");
  app.prefix_command();  // `tutti run mpirun …` without the "--" is clear enough
  return [options, &app, &line] {
    const auto words = launch_line(app, line);
    return words ? run(*options, *words) : fail(words.status().message());
  };
}

}  // namespace tutti::command
