#include "dispatch/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace tutti::dispatch {

namespace {

constexpr const char* k_native = "native";
constexpr const char* k_native_reason = "no rule asks for anything else";

uint64_t least_bytes(int size_class) {
  return size_class == 0 ? 0 : uint64_t{1} << (size_class - 1);
}
uint64_t most_bytes(int size_class) {
  return size_class == 0 ? 0 : least_bytes(size_class) * 2 - 1;
}

/// The name of the call without MPI_: "bcast", "ibcast", "bcast_init".
std::string name_of(algorithm::Collective collective, select::CallKind kind) {
  const std::string name(algorithm::to_string(collective));
  if (kind == select::CallKind::nonblocking) return "i" + name;
  return kind == select::CallKind::persistent ? name + "_init" : name;
}

std::string name_of(const ReportLine& line) {
  return name_of(line.collective, line.kind);
}
std::string name_of(const select::SiteShape& shape) {
  return name_of(shape.collective, shape.kind);
}

nlohmann::json to_json(const CallSiteReport& site) {
  auto candidates = nlohmann::json::array();
  for (const select::CandidateReport& candidate : site.candidates)
    candidates.push_back({{"candidate", to_string(candidate.candidate)},
                          {"trials", candidate.trials},
                          {"median_ns", candidate.median_ns},
                          {"is_dropped", candidate.is_dropped}});
  auto switches = nlohmann::json::array();
  for (const select::Switch& event : site.switches)
    switches.push_back({{"call", event.call},
                        {"from", to_string(site.candidates[event.from].candidate)},
                        {"to", to_string(site.candidates[event.to].candidate)},
                        {"why", event.why == select::Switch::Why::faster ? "faster" : "drift"},
                        {"ratio", static_cast<double>(event.ratio) / static_cast<double>(select::k_one)},
                        {"trials", event.trials}});
  nlohmann::json entry = {{"collective", name_of(site.shape)},
                          {"kind", to_string(site.shape.kind)},
                          {"ranks", site.shape.ranks},
                          {"nodes", site.shape.nodes},
                          {"calls", site.calls},
                          {"elapsed_ns", site.elapsed_ns},
                          {"loss_ns", site.loss_ns},
                          {"choice", site.choice},
                          {"reason", site.reason},
                          {"is_exploring", site.is_exploring},
                          {"candidates", std::move(candidates)},
                          {"switches", std::move(switches)}};
  if (site.shape.bytes_known) entry["bytes"] = site.shape.bytes;
  return entry;
}

std::string size_text(int size_class) {
  if (size_class == ReportLine::k_unknown_size) return "any";
  return base::format_bytes(least_bytes(size_class));
}

}  // namespace

int Report::size_class_of(uint64_t bytes, bool bytes_known) {
  return bytes_known ? static_cast<int>(std::bit_width(bytes)) : ReportLine::k_unknown_size;
}

ReportLine* Report::line(Collective collective, select::CallKind kind, int size_class,
                         const std::string& choice, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  const auto at = std::find_if(lines_.begin(), lines_.end(), [&](const auto& known) {
    return known->collective == collective && known->kind == kind && known->size_class == size_class &&
           known->choice == choice && known->reason == reason;
  });
  if (at != lines_.end()) return at->get();
  auto made = std::make_unique<ReportLine>();
  made->collective = collective;
  made->kind = kind;
  made->size_class = size_class;
  made->choice = choice;
  made->reason = reason;
  return lines_.emplace_back(std::move(made)).get();
}

ReportLine* Report::native_line(Collective collective, select::CallKind kind, int size_class) {
  const size_t row =
      static_cast<size_t>(kind) * algorithm::k_collective_count + static_cast<size_t>(collective);
  auto& known = native_[row][static_cast<size_t>(size_class)];
  ReportLine* found = known.load(std::memory_order_acquire);
  if (found == nullptr) {
    found = line(collective, kind, size_class, k_native, k_native_reason);
    known.store(found, std::memory_order_release);
  }
  return found;
}

void Report::ended(const CallEvent& event) {
  if (event.passes_through) return;
  ReportLine* line = event.answer == nullptr ? nullptr : event.answer->prepared.line;
  if (line == nullptr)
    line = native_line(event.collective, event.interface, size_class_of(event.bytes, event.bytes_known));
  line->add(event.bytes, event.ended_ns - event.started_ns);
}

std::vector<const ReportLine*> Report::used_lines() const {
  const std::lock_guard lock(mutex_);
  std::vector<const ReportLine*> used;
  for (const auto& line : lines_)
    if (line->calls.load(std::memory_order_relaxed) > 0) used.push_back(line.get());
  std::sort(used.begin(), used.end(), [](const ReportLine* a, const ReportLine* b) {
    return std::tie(a->collective, a->kind, a->size_class, a->choice) <
           std::tie(b->collective, b->kind, b->size_class, b->choice);
  });
  return used;
}

void Report::add_site(CallSiteReport site) {
  const std::lock_guard lock(mutex_);
  if (sites_.size() < k_most_sites)
    sites_.push_back(std::move(site));
  else
    ++unlisted_sites_;
}

std::string Report::to_json(const ReportHeader& header) const {
  auto calls = nlohmann::json::array();
  for (const ReportLine* line : used_lines()) {
    nlohmann::json entry = {{"collective", name_of(*line)}, {"choice", line->choice},
                            {"reason", line->reason},       {"calls", line->calls.load()},
                            {"bytes", line->bytes.load()},  {"time_ns", line->time_ns.load()}};
    if (line->size_class != ReportLine::k_unknown_size) {
      entry["least_bytes"] = least_bytes(line->size_class);
      entry["most_bytes"] = most_bytes(line->size_class);
    }
    calls.push_back(std::move(entry));
  }
  const std::lock_guard lock(mutex_);
  auto sites = nlohmann::json::array();
  for (const CallSiteReport& site : sites_) sites.push_back(dispatch::to_json(site));
  const nlohmann::json report = {{"schema", 1},
                                 {"mpi", header.mpi},
                                 {"ranks", header.rank_count},
                                 {"nodes", header.node_count},
                                 {"elapsed_ns", header.elapsed_ns},
                                 {"progress", header.progress},
                                 {"calls", std::move(calls)},
                                 {"sites", std::move(sites)},
                                 {"unlisted_sites", unlisted_sites_}};
  return report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

std::string Report::to_table(const ReportHeader& header) const {
  std::string text = fmt::format("tutti: {} ranks on {} nodes, {:.3f} s (rank 0)\n", header.rank_count,
                                 header.node_count, static_cast<double>(header.elapsed_ns) * 1e-9);
  text += fmt::format("tutti: nonblocking collectives: {}\n", header.progress);
  text += fmt::format("tutti: {:<22}{:>8}{:>10}{:>12}{:>12}  {:<24} {}\n", "collective", "from", "calls",
                      "MB", "us/call", "choice", "because");
  for (const ReportLine* line : used_lines()) {
    const auto calls = static_cast<double>(line->calls.load());
    text += fmt::format("tutti: {:<22}{:>8}{:>10}{:>12.3f}{:>12.2f}  {:<24} {}\n", name_of(*line),
                        size_text(line->size_class), line->calls.load(),
                        static_cast<double>(line->bytes.load()) * 1e-6,
                        static_cast<double>(line->time_ns.load()) * 1e-3 / calls, line->choice, line->reason);
  }
  const std::lock_guard lock(mutex_);
  for (const CallSiteReport& site : sites_)
    if (!site.switches.empty())
      text +=
          fmt::format("tutti: {:<22}{:>8}{:>10} calls went over to {}: {}\n", name_of(site.shape),
                      site.shape.bytes_known ? base::format_bytes(std::bit_floor(site.shape.bytes)) : "any",
                      site.calls, site.choice, site.reason);
  return text;
}

}  // namespace tutti::dispatch
