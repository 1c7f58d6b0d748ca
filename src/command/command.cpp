#include "command/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"
#include "command/build_info.hpp"
#include "command/parse_error.hpp"

namespace tutti::command {

int fail(const std::string& message, int status) {
  fmt::print(stderr, "tutti: {}\n", message);
  return status;
}

namespace {

/// A request may be too large for this machine; that is reported as an error.
int guarded(const Action& action) {
  try {
    return action();
  } catch (const std::bad_alloc&) {
    return fail("not enough memory for this", k_failed);
  } catch (const std::exception& error) {
    if (ferror(stdout) != 0) return k_done;  // reported at the end
    return fail(error.what(), k_failed);
  }
}

/// The subcommand that a command line names.
struct CommandPosition {
  CLI::App* app;
  std::string name = "tutti";  // "tutti fabric route"
  std::string unknown;         // word in the position of a subcommand that is not one
};

CommandPosition place_of(CLI::App& app, const std::vector<std::string>& words) {
  CommandPosition place{&app};
  for (const std::string& word : words) {
    if (place.app->get_subcommands({}).empty() || word.starts_with('-')) break;
    const auto parts = place.app->get_subcommands({});
    const auto next = std::find_if(parts.begin(), parts.end(),
                                   [&, &name = word](CLI::App* part) { return part->get_name() == name; });
    if (next == parts.end()) {
      place.unknown = word;
      break;
    }
    place.app = *next;
    place.name += ' ' + word;
  }
  return place;
}

std::string unknown_command(const CommandPosition& place) {
  std::vector<std::string_view> known;
  for (const CLI::App* app : place.app->get_subcommands({})) known.push_back(app->get_name());
  return fmt::format("unknown command {}{} (see {} --help)", base::in_quotes(place.unknown),
                     base::did_you_mean(place.unknown, known), place.name);
}

int parse_and_run(int argc, char** argv) {
  CLI::App app("Makes the collective operations of MPI programs faster without changing the programs",
               "tutti");
  app.set_version_flag("--version", std::string(k_version));
  app.require_subcommand(1);
  std::vector<std::string> words(argv + 1, argv + argc), line;
  std::vector<std::pair<CLI::App*, Action>> actions;
  const auto add = [&](const char* name, const char* summary, auto make) {
    CLI::App* subcommand = app.add_subcommand(name, summary);
    actions.emplace_back(subcommand, make(*subcommand));
  };
  // The words after "--" are a launch line, whose options are not parsed here.
  const auto add_launching = [&](const char* name, const char* summary, auto make) {
    add(name, summary, [&](CLI::App& subcommand) { return make(subcommand, line); });
    const auto split = std::find(words.begin(), words.end(), "--");
    if (split == words.end() || words.front() != name) return;
    line.assign(split + 1, words.end());
    words.erase(split, words.end());
  };
  add_launching("run", "runs an MPI program under Tutti: tutti run -- mpirun -n 8 ./program", add_run);
  add_launching("bench", "times collectives natively and under Tutti in one run: tutti bench -- mpirun -n 8",
                add_bench);
  add_launching("tune",
                "finds the best by trials and makes a rules file: tutti tune --out FILE -- mpirun -n 8",
                add_tune);
  add("export", "writes rules in the words of Open MPI or MPICH, for runs without Tutti", add_export);
  add("info", "version, algorithms with their parameters, settings with their values", add_info);
  add("schedule", "prints, verifies or draws the schedule of an algorithm", add_schedule);
  add("fabric", "multicast routing for InfiniBand switches with small tables: tutti fabric --help",
      add_fabric);
  add("offload", "barriers that a NIC carries out alone: tutti offload --help", add_offload);
  add("simulate", "what algorithms cost on a machine that is not here, in virtual time", add_simulate);
  add("model", "what late processes cost a broadcast, by the model of paper 000", add_model);
  add("explain", "shows a report written by TUTTI_REPORT=FILE", add_explain);
  add("report", "says who was late in a run recorded by TUTTI_RECORD=FOLDER", add_report);
  add("access", "shows in which order a program uses results, as traced by TUTTI_OVERLAP=trace", add_access);
  const CommandPosition place = place_of(app, words);
  if (!place.unknown.empty()) return fail(unknown_command(place));
  try {
    std::reverse(words.begin(), words.end());  // CLI11 reads them from the end
    app.parse(words);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    // Words that are unknown to a command that passes words on may be valid for the program that receives them.
    const bool hands_on = place.app->get_prefix_command() || place.app->get_allow_extras();
    return fail(fmt::format("{} (see {} --help)", hands_on ? error.what() : sentence_of(*place.app, error),
                            place.name));
  }
  for (const auto& [subcommand, action] : actions)
    if (subcommand->parsed()) return guarded(action);
  return fail("no subcommand");
}

}  // namespace

int run_command(int argc, char** argv) {
  const int status = parse_and_run(argc, argv);
  const base::Status written = base::flush_standard_output();
  return written || status != k_done ? status : fail(written.message(), k_failed);
}

}  // namespace tutti::command
