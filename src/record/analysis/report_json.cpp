#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "base/json.hpp"
#include "base/text.hpp"
#include "record/analysis/ending.hpp"
#include "record/analysis/report.hpp"

namespace tutti::record::analysis {

namespace {

using Json = nlohmann::json;

constexpr int k_schema = 1;
constexpr size_t k_shown_in_json = 300, k_shown_heat_maps = 12, k_most_late_ranks = 10;
/// Limit for the ranks whose arrivals are listed, over all sites from the worst on. It keeps the page small enough to
/// be mailed.
constexpr size_t k_listed_arrivals = 100'000;

/// Name of the native MPI among the candidates.
constexpr std::string_view k_native = "native";

/// Reads a count from untrusted JSON, with a check of its range. Throws Json::exception.
int64_t count_in(const Json& object, const char* name) {
  const Json& value = object.at(name);
  constexpr uint64_t k_most = uint64_t{1} << 53;
  if (!value.is_number_unsigned() || value.get<uint64_t>() > k_most)
    throw Json::other_error::create(501, "no count", &value);
  return value.get<int64_t>();
}
int64_t product(int64_t a, int64_t b) {
  constexpr double k_most = 9e18;
  return static_cast<int64_t>(std::clamp(static_cast<double>(a) * static_cast<double>(b), -k_most, k_most));
}
std::string text_in(const Json& object, const char* name) {
  return object.at(name).get<std::string>();
}

double rounded(double value) {
  return std::round(value * 1e4) / 1e4;
}

Json run_json(const Analysis& of, const Ending& ending) {
  const RankDescription& first = of.run.first().description;
  Json run = {
      {"program", std::filesystem::path(first.program).filename().string()},
      {"mpi", first.mpi},
      {"ranks", of.run.ranks},
      {"nodes", of.nodes.size()},
      {"started", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time_t{first.started_unix_s}))},
      {"elapsed_ns", of.elapsed_ns},
      {"recorded_ns", of.recorded_ns},
      {"ended", ending.how},
      {"calls", of.assembled.calls},
      {"records", of.assembled.records},
      {"dropped", of.dropped},
      {"sampled_every", first.sampled_every},
      {"clock_error_ns", of.clock_error_ns == k_unknown_ns ? 0 : of.clock_error_ns}};
  if (!first.job.empty()) run["job"] = first.job;
  return run;
}

Json verdict_json(const Verdict& verdict) {
  Json json = {{"kind", to_string(verdict.fault)}, {"text", verdict.text}};
  if (verdict.fault != Fault::unfinished) json["share"] = rounded(verdict.share);
  if (!verdict.ranks.empty() && verdict.fault != Fault::slow_node) {
    json["rank"] = verdict.ranks.front();
    json["ranks"] = verdict.ranks;
  }
  if (verdict.node) json["node"] = *verdict.node;
  if (verdict.site && *verdict.site < k_shown_in_json) json["site"] = *verdict.site;
  return json;
}

Verdict unfinished(const Ending& ending) {
  return {.fault = Fault::unfinished,
          .text = fmt::format("The run did not finish: {}{}{}.", ending.how, ending.where.empty() ? "" : "; ",
                              ending.where),
          .advice = ending.advice};
}

/// Whether the late ranks themselves wait in messages for the work of others, as they do where ranks work one after the
/// other: less work of one rank is more of another one then, for which all wait.
bool is_serial(const Analysis& of, const std::vector<uint32_t>& late) {
  constexpr double k_part_that_matters = 0.1;
  double waits_ns = 0;
  for (const uint32_t rank : late) waits_ns += of.ranks[rank].message_blame.sum();
  const double saved_ns = static_cast<double>(of.caused_ns) / static_cast<double>(of.run.found.size());
  return waits_ns > k_part_that_matters * saved_ns * static_cast<double>(late.size());
}

/// Whether Analysis::without_lateness_ns() is achievable: ranks are late only because of their share of the work, and
/// it is known for which ranks the waits for messages were.
bool helps_to_spread(const Analysis& of, const std::vector<Verdict>& verdicts) {
  const uint64_t messages_ns = std::accumulate(of.message_ns.begin(), of.message_ns.end(), uint64_t{0});
  if (of.sampled_every() > 1 && messages_ns > of.rank_ns / 50) return false;
  return std::ranges::none_of(verdicts, [&](const Verdict& verdict) {
    if (verdict.can_be_spread && is_serial(of, verdict.ranks)) return true;
    return (verdict.fault == Fault::late_at_times || verdict.fault == Fault::moving_imbalance) &&
           !verdict.can_be_spread;
  });
}

/// Keeps the verdicts that matter beside the ending of a run that did not finish. If ranks were in calls at that time,
/// earlier late ranks are named only if they caused enough of the waiting.
void keep_what_matters(const Analysis& of, const Ending& ending, std::vector<Verdict>* verdicts) {
  const double waiting =
      of.rank_ns == 0 ? 0 : static_cast<double>(of.waiting_ns) / static_cast<double>(of.rank_ns);
  std::erase_if(*verdicts, [&](const Verdict& verdict) {
    const bool is_lateness = verdict.fault == Fault::slow_rank || verdict.fault == Fault::slow_node ||
                             verdict.fault == Fault::late_at_times ||
                             verdict.fault == Fault::moving_imbalance;
    return verdict.fault == Fault::nothing_wrong || verdict.fault == Fault::cannot_tell ||
           (ending.has_awaited && is_lateness && verdict.share < k_share_to_blame * waiting);
  });
}

/// At most three sentences.
Json advice_json(const Analysis& of, const std::vector<Verdict>& verdicts) {
  Json advice = Json::array({verdicts.front().text});
  if (!verdicts.front().advice.empty()) advice.push_back(verdicts.front().advice);
  const uint64_t without_ns = of.without_lateness_ns();
  if (verdicts.front().can_be_spread && helps_to_spread(of, verdicts) &&
      of.recorded_ns - without_ns > of.recorded_ns / 50)
    advice.push_back(
        fmt::format("Without lateness {} would have taken {} instead of {}, the same work spread evenly.",
                    of.recorded_ns < of.elapsed_ns ? "what is recorded of this run" : "this run",
                    duration_text(without_ns), duration_text(of.recorded_ns)));
  else if (verdicts.size() > 1)
    advice.push_back(verdicts[1].text);
  return advice;
}

Json nodes_json(const Analysis& of) {
  Json nodes = Json::array();
  for (size_t i = 0; i < of.nodes.size(); ++i) {
    const NodeSums& node = of.nodes[i];
    nodes.push_back({{"node", node.number},
                     {"host", node.host},
                     {"ranks", node.ranks},
                     {"clock_error_ns", node.clock_error_ns == k_unknown_ns ? 0 : node.clock_error_ns},
                     {"caused_ns", node.caused_ns},
                     {"waiting_ns", node.waiting_ns},
                     {"transfer_ns", node.transfer_ns},
                     {"relative_score", rounded(node.scores().relative)},
                     {"individual_score", rounded(node.scores().individual)}});
  }
  return nodes;
}

Json ranks_json(const Analysis& of) {
  Json ranks = Json::array();
  for (size_t i = 0; i < of.ranks.size(); ++i) {
    const RankSums& rank = of.ranks[i];
    ranks.push_back({{"rank", i},
                     {"node", of.nodes[rank.node].number},
                     {"waiting_ns", rank.waiting_ns},
                     {"transfer_ns", rank.transfer_ns},
                     {"caused_ns", rank.caused_ns},
                     {"late_calls", rank.late_calls},
                     {"relative_score", rounded(rank.scores().relative)},
                     {"individual_score", rounded(rank.scores().individual)},
                     {"dropped", rank.dropped},
                     {"is_missing", !rank.has_file}});
  }
  return ranks;
}

Json timeline_json(const Analysis& of) {
  Json nodes = Json::array();
  for (uint32_t node = 0; node < of.nodes.size(); ++node) {
    Json waiting = Json::array(), transfer = Json::array();
    const double ranks = std::max<uint32_t>(of.nodes[node].ranks, 1);
    for (size_t bin = 0; bin < of.timeline.bins(); ++bin) {
      waiting.push_back(rounded(std::clamp(of.timeline.waiting(node, bin) / ranks, 0.0, 1.0)));
      transfer.push_back(rounded(std::clamp(of.timeline.transfer(node, bin) / ranks, 0.0, 1.0)));
    }
    nodes.push_back({{"node", of.nodes[node].number},
                     {"waiting", std::move(waiting)},
                     {"transfer", std::move(transfer)}});
  }
  return {{"bin_ns", of.timeline.bin_ns()}, {"nodes", std::move(nodes)}};
}

Json spread_json(const Site& site) {
  Json histogram = Json::array();
  site.spread.octaves([&](uint64_t from_ns, uint64_t to_ns, uint64_t calls) {
    histogram.push_back({{"from_ns", from_ns}, {"to_ns", to_ns}, {"calls", calls}});
  });
  return {{"median_ns", site.spread.quantile(0.5)},
          {"p90_ns", site.spread.quantile(0.9)},
          {"most_ns", site.worst.spread_ns},
          {"histogram", std::move(histogram)}};
}

Json late_ranks_json(const Site& site, const std::vector<uint32_t>& members) {
  std::vector<std::pair<uint64_t, uint32_t>> order;
  for (const auto& [rank, caused_ns] : site.caused_ns) order.emplace_back(caused_ns, rank);
  std::ranges::stable_sort(order, std::greater<>(), [](const auto& one) { return one.first; });
  Json ranks = Json::array();
  for (size_t i = 0; i < order.size() && i < k_most_late_ranks; ++i) {
    const auto [caused_ns, rank] = order[i];
    const auto member = std::ranges::find(members, rank);
    const uint64_t last_calls =
        member == members.end() ? 0 : site.members[static_cast<size_t>(member - members.begin())].last_calls;
    ranks.push_back({{"rank", rank}, {"calls", last_calls}, {"caused_ns", caused_ns}});
  }
  return ranks;
}

Json arrival_json(const Site& site, const std::vector<uint32_t>& members) {
  Json mean = Json::array(), most = Json::array();
  for (const MemberSums& sums : site.members) {
    mean.push_back(sums.calls == 0 ? 0 : sums.late_ns / sums.calls);
    most.push_back(sums.most_late_ns);
  }
  Json arrival = {{"ranks", members}, {"mean_ns", std::move(mean)}, {"most_ns", std::move(most)}};
  if (!site.worst.late_ns.empty())  // a call was judged
    arrival["worst_call"] = {{"sequence", site.worst.sequence}, {"arrival_ns", site.worst.late_ns}};
  return arrival;
}

Json heat_json(const HeatMap& heat, size_t ranks) {
  Json rows = Json::array(), columns = Json::array(), lateness = Json::array();
  for (size_t column = 0; column < heat.columns(); ++column)
    columns.push_back({{"first", column * heat.calls_per_column()},
                       {"last", std::min((column + 1) * heat.calls_per_column(), heat.calls()) - 1}});
  for (size_t row = 0; row < heat.rows(); ++row) {
    rows.push_back({{"first", row * heat.ranks_per_row()},
                    {"last", std::min((row + 1) * heat.ranks_per_row(), ranks) - 1}});
    Json line = Json::array();
    for (size_t column = 0; column < heat.columns(); ++column) line.push_back(heat.at(row, column));
    lateness.push_back(std::move(line));
  }
  return {{"rows", std::move(rows)}, {"columns", std::move(columns)}, {"lateness_ns", std::move(lateness)}};
}

std::string group_name(const RecordedCommunicator& group) {
  return group.name.empty() ? fmt::format("a communicator of {} ranks", group.members.size()) : group.name;
}

Json site_json(const Analysis& of, size_t number, size_t* arrivals_left, Symbols* symbols) {
  const Site& site = of.sites[number];
  const RecordedCommunicator& group = of.tables.groups[site.key.group];
  const CodeLocation& place = of.tables.places[site.key.place];
  Json choices = Json::array();
  for (const auto& [choice, sums] : site.choices)
    choices.push_back({{"choice", of.tables.choices[choice].choice},
                       {"reason", of.tables.choices[choice].reason},
                       {"calls", sums.calls},
                       {"median_transfer_ns", sums.transfer.quantile(0.5)}});
  Json json = {{"site", number},
               {"place", symbols->name(place)},
               {"module", std::filesystem::path(place.module).filename().string()},
               {"collective", algorithm::to_string(site.key.collective)},
               {"interface", select::to_string(site.key.interface)},
               {"communicator", group_name(group)},
               {"ranks", group.members.size()},
               {"least_bytes", site.least_bytes},
               {"most_bytes", site.most_bytes},
               {"calls", site.calls},
               {"judged_calls", site.judged_calls},
               {"waiting_ns", site.waiting_ns},
               {"transfer_ns", site.transfer_ns},
               {"hidden_ns", site.hidden_ns},
               {"spread", spread_json(site)},
               {"late_ranks", late_ranks_json(site, group.members)},
               {"choices", std::move(choices)}};
  if (group.members.size() <= *arrivals_left) {
    *arrivals_left -= group.members.size();
    json["arrival"] = arrival_json(site, group.members);
  }
  if (const auto cause = cause_of(of, site, symbols))
    json["cause"] = {{"text", cause->text},
                     {"rank", cause->rank},
                     {"gap_ns", cause->gap_ns},
                     {"typical_gap_ns", cause->typical_gap_ns}};
  if (site.heat && number < k_shown_heat_maps) json["heat"] = heat_json(*site.heat, group.members.size());
  return json;
}

/// What run-time selection chose at its call sites, and the time saved compared with the native MPI. Values that were
/// not measured are omitted.
Json selection_json(const Analysis& of) {
  Json selection = Json::array();
  const auto report = base::parse_json(of.run.first().description.selection);
  if (!report || !report->is_object()) return selection;
  try {
    for (const Json& site : report->value("sites", Json::array())) {
      const int64_t calls = count_in(site, "calls");
      Json row = {{"collective", text_in(site, "collective")},
                  {"ranks", count_in(site, "ranks")},
                  {"choice", text_in(site, "choice")},
                  {"reason", text_in(site, "reason")},
                  {"calls", calls}};
      if (site.contains("bytes")) row["bytes"] = count_in(site, "bytes");
      for (const Json& candidate : site.at("candidates")) {
        const int64_t median_ns = count_in(candidate, "median_ns");
        if (candidate.at("trials") == 0) continue;
        if (candidate.at("candidate") == site.at("choice")) row["median_ns"] = median_ns;
        if (candidate.at("candidate") == k_native) row["native_median_ns"] = median_ns;
      }
      if (row.contains("median_ns") && row.contains("native_median_ns"))
        row["won_ns"] =
            product(row["native_median_ns"].get<int64_t>() - row["median_ns"].get<int64_t>(), calls);
      selection.push_back(std::move(row));
    }
  } catch (const Json::exception&) {
    return Json::array();  // written by another version
  }
  return selection;
}

Json missing_json(const Analysis& of) {
  Json missing = Json::array();
  for (const std::string& line : of.run.missing) missing.push_back(line);
  for (size_t i = 0; i < of.run.found.size(); ++i)
    if (const uint64_t count = of.assembled.impossible[i]; count > 0)
      missing.push_back(fmt::format("{} of {} cannot be as the file has them, and are left out",
                                    base::counted(count, "record"),
                                    base::in_quotes(of.run.found[i].file_name)));
  if (of.assembled.incomplete > 0)
    missing.push_back(fmt::format(
        "{} left out: some ranks have no record of them",
        of.assembled.incomplete == 1 ? "1 call is" : fmt::format("{} calls are", of.assembled.incomplete)));
  return missing;
}

/// Number of records in the files.
uint64_t records_of(const Analysis& of) {
  uint64_t records = 0;
  for (const RankOfRun& rank : of.run.found) records += rank.description.records;
  return records;
}

Json notes_json(const Analysis& of) {
  Json notes = {"Summed time is the sum over ranks; it is not wall time.",
                "Rank 0 is not representative: roots and first ranks do other work than the rest.",
                "Waiting is time inside MPI before the last rank had come that the collective or the message "
                "needs; what a "
                "nonblocking call hides behind computation is counted as hidden, not as waiting.",
                "The estimate without lateness takes the same work to be spread evenly over the ranks."};
  if (of.sampled_every() > 1)
    notes.push_back(
        fmt::format("One of {} calls of each communicator is recorded and stands for all of them. Waits for "
                    "messages are all "
                    "recorded, and count as transfer: whose work they are for is not known then.",
                    of.sampled_every()));
  if (of.dropped > 0)
    notes.push_back(fmt::format(
        "{} of {} records were dropped (TUTTI_RECORD_BYTES): times and shares are of {}, at most, of {}.",
        of.dropped, of.dropped + records_of(of), duration_text(of.recorded_ns),
        duration_text(of.elapsed_ns)));
  if (of.clock_error_ns == k_unknown_ns)
    notes.push_back("The clocks of the nodes were not compared: arrivals on different nodes are not judged.");
  else if (of.clock_error_ns > 0)
    notes.push_back(
        fmt::format("Clocks of different nodes agree to {}; smaller spreads than twice that are not judged.",
                    duration_text(of.clock_error_ns)));
  return notes;
}

}  // namespace

Json report_json(const Analysis& of, const Analysis* against) {
  Symbols symbols;
  const Ending ending = ending_of(of, &symbols);
  std::vector<Verdict> verdicts = verdicts_of(of, against, &symbols);
  if (!ending.is_finalized) {
    keep_what_matters(of, ending, &verdicts);
    verdicts.insert(verdicts.begin(), unfinished(ending));
  }
  Json verdict_list = Json::array(), sites = Json::array();
  size_t arrivals_left = k_listed_arrivals;
  for (const Verdict& verdict : verdicts) verdict_list.push_back(verdict_json(verdict));
  for (size_t i = 0; i < of.sites.size() && i < k_shown_in_json; ++i)
    sites.push_back(site_json(of, i, &arrivals_left, &symbols));
  Json notes = notes_json(of);
  if (of.sites.size() > k_shown_in_json)
    notes.push_back(
        fmt::format("{} call sites with less waiting are not listed.", of.sites.size() - k_shown_in_json));
  Json totals = {{"waiting_ns", of.waiting_ns},
                 {"transfer_ns", of.transfer_ns},
                 {"hidden_ns", of.hidden_ns},
                 {"messages_ns", std::accumulate(of.message_ns.begin(), of.message_ns.end(), uint64_t{0})},
                 {"messages_waiting_ns",
                  std::accumulate(of.message_waiting_ns.begin(), of.message_waiting_ns.end(), uint64_t{0})},
                 {"rank_ns", of.rank_ns},
                 {"unjudged_calls", of.unjudged_calls}};
  if (helps_to_spread(of, verdicts)) totals["without_lateness_ns"] = of.without_lateness_ns();
  return {{"schema", k_schema},
          {"run", run_json(of, ending)},
          {"what_to_do", advice_json(of, verdicts)},
          {"verdicts", std::move(verdict_list)},
          {"totals", std::move(totals)},
          {"nodes", nodes_json(of)},
          {"ranks", ranks_json(of)},
          {"timeline", timeline_json(of)},
          {"sites", std::move(sites)},
          {"selection", selection_json(of)},
          {"chain", of.run.first().description.chain},
          {"missing", missing_json(of)},
          {"notes", std::move(notes)}};
}

}  // namespace tutti::record::analysis
