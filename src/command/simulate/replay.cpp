#include "command/simulate/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.hpp"
#include "command/command.hpp"
#include "command/output.hpp"
#include "record/analysis/assembler.hpp"
#include "select/selector.hpp"
#include "simulate/goal_of_run.hpp"
#include "simulate/replay.hpp"

namespace tutti::command {

using base::Result;
using base::Status;
using record::analysis::CallInstance;
using simulate::Change;
using simulate::Replay;

namespace {

/// Figures of the recorded run, counted as in a replay.
struct Recorded {
  double run_ns = 0, inside_ns = 0;
  uint64_t calls = 0, others = 0;
};

/// Receives the calls of a run in order.
using Player = std::function<Status(const simulate::RecordedCall&)>;

/// The calls of a recorded run.
class RecordedRun {
 public:
  explicit RecordedRun(const record::RunFiles& files)
      : files_(files),
        tables_(files),
        begin_ns_(static_cast<int64_t>(files.first().description.began_ns)),
        left_ns_(files.ranks, begin_ns_),
        inside_ns_(files.ranks) {}

  Status play(const Player& player) {
    Status status;
    const auto play_one = [&](const CallInstance& call) {
      if (status && !StopRequest::is_asked()) status = add(call, player);
    };
    assembled_ = record::analysis::assemble(files_, tables_, {.call = play_one, .message = {}});
    return status;
  }

  Recorded recorded() const {
    const int64_t end = *std::max_element(left_ns_.begin(), left_ns_.end());
    double inside = 0;
    for (const double one : inside_ns_) inside += one;
    return {.run_ns = static_cast<double>(end - begin_ns_),
            .inside_ns = inside / static_cast<double>(inside_ns_.size()),
            .calls = calls_,
            .others = others_};
  }
  uint64_t incomplete() const { return assembled_.incomplete; }

 private:
  /// Nonblocking calls count as computation between other calls.
  Status add(const CallInstance& call, const Player& player) {
    const std::vector<uint32_t>& members = tables_.groups[call.group].members;
    const bool is_whole = call.present == members.size() &&
                          std::ranges::none_of(call.calls, [](const record::analysis::MemberCall& one) {
                            return one.inside_ns == record::k_unknown_ns;
                          });
    if (call.interface != select::CallInterface::blocking || !is_whole) {
      ++others_;
      return {};
    }
    std::vector<uint64_t> gaps, inside;
    for (size_t i = 0; i < members.size(); ++i) {
      const record::analysis::MemberCall& one = call.calls[i];
      int64_t& left = left_ns_[members[i]];
      gaps.push_back(static_cast<uint64_t>(std::max<int64_t>(one.arrival_ns - left, 0)));
      inside.push_back(one.inside_ns);
      inside_ns_[members[i]] += static_cast<double>(one.inside_ns);
      left = std::max(left, one.arrival_ns) + static_cast<int64_t>(one.inside_ns);
    }
    ++calls_;
    const simulate::RecordedCall again{
        .collective = call.collective,
        .bytes = call.bytes,
        .root = call.root == record::k_no_root ? 0 : static_cast<schedule::Rank>(call.root),
        .members = members,
        .choice = tables_.choices[call.calls.front().choice].choice,
        .gaps_ns = gaps,
        .inside_ns = inside,
        .is_size_known = select::has_bytes_of_interest(call.collective)};
    return player(again);
  }

  const record::RunFiles& files_;
  const record::analysis::RunTables tables_;
  const int64_t begin_ns_;
  std::vector<int64_t> left_ns_;  // by rank, on the common clock
  std::vector<double> inside_ns_;
  uint64_t calls_ = 0, others_ = 0;
  record::analysis::Assembled assembled_;
};

Status read_choices(const std::vector<std::string>& texts, Change* change) {
  for (const std::string& text : texts) {
    const size_t end = text.find('=');
    if (end == std::string::npos)
      return Status::invalid_argument(fmt::format(
          "--algorithm: {} is for no collective (bcast=chain:segment=4K)", base::in_quotes(text)));
    const auto collective = algorithm::parse_collective(text.substr(0, end));
    if (!collective) return Status::invalid_argument("--algorithm: " + collective.status().message());
    const auto choice = algorithm::parse_choice(*collective, text.substr(end + 1));
    if (!choice) return Status::invalid_argument("--algorithm: " + choice.status().message());
    change->choices[static_cast<size_t>(*collective)] = *choice;
  }
  return {};
}

Result<Change> change_of(const ReplayOptions& options) {
  Change change{.choices = {}, .without_lateness = options.without_lateness, .times = options.times};
  if (Status status = read_choices(options.algorithms, &change); !status) return status;
  using arrival::Leader;
  for (const Leader leader : {Leader::fixed, Leader::first, Leader::agent})
    if (options.leader == to_string(leader)) change.leader = leader;
  return change;
}

bool is_changed(const ReplayOptions& options) {
  return !options.algorithms.empty() || options.leader != "fixed" || options.without_lateness ||
         options.times > 1;
}

Result<std::vector<uint32_t>> nodes_of(const record::RunFiles& files) {
  if (files.found.size() != files.ranks)
    return Status::invalid_argument(fmt::format(
        "{} of {} left no record", base::counted(files.ranks - files.found.size(), "rank"), files.ranks));
  std::vector<uint32_t> nodes;
  for (const record::RankOfRun& rank : files.found) nodes.push_back(rank.description.node);
  return nodes;
}

std::string line(const char* what, double inside_ns, double run_ns, double recorded_inside,
                 double recorded_run) {
  return fmt::format("  {:<22}{:>14.3f} ms {:>7.2f}{:>14.3f} ms {:>7.2f}\n", what, inside_ns / 1e6,
                     recorded_inside > 0 ? inside_ns / recorded_inside : 0, run_ns / 1e6,
                     recorded_run > 0 ? run_ns / recorded_run : 0);
}

constexpr const char* k_names[] = {"as it was, simulated", "changed"};

void print_text(const ReplayOptions& options, const simulate::Machine& machine, const RecordedRun& run,
                std::span<const Replay> replays) {
  const Recorded was = run.recorded();
  fmt::print("{}: machine {} ({})\n", options.folder, machine.name, machine.topology);
  fmt::print("  {:<22}{:>25}{:>25}\n", "", "in collectives", "whole run");
  fmt::print("{}", line("recorded", was.inside_ns, was.run_ns, was.inside_ns, was.run_ns));
  for (size_t i = 0; i < replays.size(); ++i) {
    const Replay::Times times = replays[i].times();
    fmt::print("{}", line(k_names[i], times.inside_ns, times.run_ns, was.inside_ns, was.run_ns));
  }
  const Replay::Times first = replays.front().times();
  fmt::print("{} simulated, {} took the time that they took (sizes of others are not known)\n",
             base::counted(first.simulated, "blocking call"), first.kept);
  if (was.others + run.incomplete() > 0)
    fmt::print("{} that do not block, or that not all ranks have recorded, count as computation\n",
               base::counted(was.others + run.incomplete(), "call"));
  fmt::print(
      "in collectives: mean over ranks; whole run: until the last rank has left its last blocking call\n");
}

nlohmann::ordered_json json_of(const simulate::Machine& machine, const RecordedRun& run,
                               std::span<const Replay> replays) {
  const Recorded was = run.recorded();
  const auto entry = [](double inside_ns, double run_ns) {
    return nlohmann::ordered_json{{"inside_ns", inside_ns}, {"run_ns", run_ns}};
  };
  nlohmann::ordered_json document = {
      {"schema", 1},
      {"machine", nlohmann::ordered_json::parse(simulate::format_machine(machine))},
      {"calls", was.calls},
      {"other_calls", was.others + run.incomplete()},
      {"recorded", entry(was.inside_ns, was.run_ns)}};
  constexpr const char* keys[] = {"simulated", "changed"};
  for (size_t i = 0; i < replays.size(); ++i)
    document[keys[i]] = entry(replays[i].times().inside_ns, replays[i].times().run_ns);
  return document;
}

}  // namespace

int replay_run(const ReplayOptions& options) {
  auto machine = simulate::load_machine(options.machine);
  if (!machine) return fail("--machine: " + machine.status().message());
  if (!options.topology.empty()) machine->topology = options.topology;
  const auto change = change_of(options);
  if (!change) return fail(change.status().message());
  const auto files = record::open_run(options.folder);
  if (!files) return fail("--replay: " + files.status().message());
  const auto nodes = nodes_of(*files);
  if (!nodes) return fail(fmt::format("--replay: {}: {}", options.folder, nodes.status().message()));
  std::vector<Replay> replays;
  replays.emplace_back(*nodes, *machine, Change{});
  if (is_changed(options)) replays.emplace_back(*nodes, *machine, *change);
  RecordedRun run(*files);
  const StopRequest stop;
  std::optional<simulate::GoalOfRun> goal;
  if (!options.goal.empty()) goal.emplace(*nodes, *machine);
  const Status status = run.play([&](const simulate::RecordedCall& call) {
    for (Replay& replay : replays)
      if (Status added = replay.add(call, StopRequest::is_asked); !added) return added;
    return goal ? goal->add(call) : Status();
  });
  if (StopRequest::is_asked()) return fail("interrupted; nothing is written", k_interrupted);
  if (!status) return fail("--replay: " + status.message(), k_failed);
  if (const Recorded was = run.recorded(); was.calls == 0)
    return fail(
        fmt::format("--replay: {}: there is no blocking collective call that all ranks have recorded, and no "
                    "other can be simulated ({} recorded)",
                    options.folder, base::counted(was.others + run.incomplete(), "other call")));
  if (goal)
    if (const auto written = write_output(options.goal, simulate::format_goal(goal->program())); !written)
      return fail(written.message(), k_failed);
  if (options.json != "-") print_text(options, *machine, run, replays);
  if (options.json.empty()) return k_done;
  const auto written = write_output(options.json, json_of(*machine, run, replays).dump(1) + "\n");
  return written ? k_done : fail(written.message(), k_failed);
}

}  // namespace tutti::command
