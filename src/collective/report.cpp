#include "collective/report.hpp"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "base/random.hpp"
#include "collective/summary.hpp"

namespace tutti::collective {

namespace {

std::string name_of(const ReportLine& line) {
  return call_name(line.collective, line.interface);
}
std::string name_of(const select::SiteShape& shape) {
  return call_name(shape.collective, shape.interface);
}

constexpr std::string_view k_reasons[] = {"faster", "drift", "arrivals"};  // select::Switch::Why

nlohmann::json to_json(const select::ArrivalProfile& arrivals) {
  const auto last = arrivals.usually_last();
  return {{"are_late", arrivals.is_late()},
          {"spread_ns", arrivals.spread_ns()},
          {"beyond_ns", arrivals.beyond_ns()},
          {"last_rank", last.rank},
          {"last_percent", last.percent}};
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
                        {"why", k_reasons[static_cast<size_t>(event.why)]},
                        {"ratio", static_cast<double>(event.ratio) / static_cast<double>(select::k_one)},
                        {"trials", event.trials}});
  nlohmann::json entry = {{"collective", name_of(site.shape)},
                          {"kind", to_string(site.shape.interface)},
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
  if (site.arrivals.usually_last().percent > 0) entry["arrivals"] = to_json(site.arrivals);
  return entry;
}

}  // namespace

void ReportLine::add_time(uint64_t call_ns) {
  const uint64_t count = calls.load(std::memory_order_relaxed);
  const uint64_t before = timed.exchange(count, std::memory_order_relaxed);
  const uint64_t more_ns = call_ns * (count > before ? count - before : 1);
  const uint64_t sum_ns = time_ns.fetch_add(more_ns, std::memory_order_relaxed) + more_ns;
  const bool is_every = count < k_measured_first || sum_ns > count * k_short_ns;
  next_timed.store(is_every ? 0 : count + base::mixed(count) % (2 * k_sampled - 1),
                   std::memory_order_relaxed);
}

int Report::size_class_of(uint64_t bytes, bool bytes_known) {
  return bytes_known ? static_cast<int>(std::bit_width(bytes)) : ReportLine::k_unknown_size;
}

ReportLine* Report::line(Collective collective, select::CallInterface interface, int size_class,
                         const std::string& choice, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  const auto at = std::find_if(lines_.begin(), lines_.end(), [&](const auto& known) {
    return known->collective == collective && known->interface == interface &&
           known->size_class == size_class && known->choice == choice && known->reason == reason;
  });
  if (at != lines_.end()) return at->get();
  auto made = std::make_unique<ReportLine>();
  made->collective = collective;
  made->interface = interface;
  made->size_class = size_class;
  made->choice = choice;
  made->reason = reason;
  made->is_for_no_rule = reason == k_native_reason;
  return lines_.emplace_back(std::move(made)).get();
}

ReportLine* Report::native_line(Collective collective, select::CallInterface interface, int size_class,
                                const std::string* binding_reason) {
  const size_t row =
      static_cast<size_t>(interface) * algorithm::k_collective_count + static_cast<size_t>(collective);
  auto& known = native_[row][static_cast<size_t>(size_class)];
  ReportLine* found = known.load(std::memory_order_acquire);
  const bool is_it = found != nullptr &&
                     (binding_reason == nullptr ? found->is_for_no_rule : found->reason == *binding_reason);
  if (!is_it) {
    const std::string_view reason =
        binding_reason != nullptr ? std::string_view(*binding_reason) : k_native_reason;
    found = line(collective, interface, size_class, k_native, std::string(reason));
    known.store(found, std::memory_order_release);
  }
  return found;
}

void Report::ended(const CallEvent& event) {
  if (event.passes_through) {
    passed_through_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  ReportLine* line = event.dispatched == nullptr ? event.line : event.dispatched->prepared.line;
  if (line == nullptr)
    line = native_line(event.collective, event.interface, size_class_of(event.bytes, event.bytes_known),
                       event.native_reason);
  line->count(event.bytes);
  if (event.started_ns != 0) line->add_time(event.ended_ns - event.started_ns);
}

std::vector<const ReportLine*> Report::used_lines() const {
  const std::lock_guard lock(mutex_);
  std::vector<const ReportLine*> used;
  for (const auto& line : lines_)
    if (line->calls.load(std::memory_order_relaxed) > 0) used.push_back(line.get());
  std::sort(used.begin(), used.end(), [](const ReportLine* a, const ReportLine* b) {
    return std::tie(a->collective, a->interface, a->size_class, a->choice) <
           std::tie(b->collective, b->interface, b->size_class, b->choice);
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
      entry["least_bytes"] = least_bytes_of(line->size_class);
      entry["most_bytes"] = most_bytes_of(line->size_class);
    }
    calls.push_back(std::move(entry));
  }
  const std::lock_guard lock(mutex_);
  auto sites = nlohmann::json::array();
  for (const CallSiteReport& site : sites_) sites.push_back(collective::to_json(site));
  const nlohmann::json report = {{"schema", 1},
                                 {"mpi", header.mpi},
                                 {"mpi_lacks", header.mpi_lacks},
                                 {"ranks", header.rank_count},
                                 {"nodes", header.node_count},
                                 {"elapsed_ns", header.elapsed_ns},
                                 {"links", header.links},
                                 {"cpus", header.cpus},
                                 {"naps", header.naps},
                                 {"progress", header.progress},
                                 {"calls", std::move(calls)},
                                 {"passed_through", passed_through_.load()},
                                 {"sites", std::move(sites)},
                                 {"unlisted_sites", unlisted_sites_}};
  return report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

std::string Report::to_summary(const ReportHeader& header) const {
  const std::vector<const ReportLine*> lines = used_lines();
  const std::lock_guard lock(mutex_);
  return summary_of(header, lines, sites_, passed_through_.load(std::memory_order_relaxed));
}

}  // namespace tutti::collective
