#include "mpi/sites.hpp"

#include <functional>
#include <utility>
#include <vector>

#include "mpi/communicator.hpp"
#include "mpi/runtime.hpp"
#include "select/selector.hpp"

namespace tutti::mpi {

using algorithm::Request;
using select::CallKind;

namespace {

/// Calls that are made once or twice, while a program sets up, are no sites yet.
constexpr uint32_t k_calls_before_site = 3;

uint32_t key_of(const Request& request, CallKind kind, int size_class) {
  return (static_cast<uint32_t>(request.collective) * select::k_call_kind_count +
          static_cast<uint32_t>(kind)) *
             ReportLine::k_size_classes +
         static_cast<uint32_t>(size_class);
}

/// How calls of a kind can be carried out, preferred way first; the same on all ranks.
std::vector<select::Progress> modes_of(CallKind kind, const Drivers& drivers) {
  std::vector<select::Progress> modes{select::Progress{}};
  if (kind == CallKind::blocking) return modes;
  if (drivers.has_seats()) modes.push_back({.mode = select::ProgressMode::thread_shared});
  if (drivers.has_choice()) modes.push_back({.mode = select::ProgressMode::in_call});
  return modes;
}

}  // namespace

Site* Sites::site_of(const Request& common, CallKind kind) {
  uint64_t bytes = 0;
  const bool is_known = select::bytes_of_interest(common, &bytes);
  Slot& slot = slots_[key_of(common, kind, Report::size_class_of(bytes, is_known))];
  if (slot.calls < k_calls_before_site && ++slot.calls == k_calls_before_site)
    slot.site = make(common, kind, 0);
  return slot.site.get();
}

Site* Sites::make_for_request(const Request& common, uint64_t expected_starts) {
  auto site = make(common, CallKind::persistent, expected_starts);
  return site == nullptr ? nullptr : of_requests_.emplace_back(std::move(site)).get();
}

std::unique_ptr<Site> Sites::make(const Request& common, CallKind kind, uint64_t expected_calls) {
  Runtime& runtime = communicator_.runtime();
  const topology::Topology& topology = communicator_.topology();
  const select::Decision decision = communicator_.rules().decide(common, topology, kind);
  const bool is_left_native = decision.is_native() && (!runtime.tunes_all() || kind == CallKind::persistent);
  if (decision.is_binding || is_left_native || site_count_ == Agreement::k_most) return nullptr;

  const std::vector<select::Progress> modes = modes_of(kind, runtime.drivers());
  const auto can_run = [&](const algorithm::Choice& choice) {
    return communicator_.check_memory(common, choice, kind).is_ok();
  };
  auto candidates =
      select::candidates_for(common, topology, {.rule = decision.choice, .modes = modes, .can_run = can_run});
  // A persistent request stays what it was made as.
  if (kind == CallKind::persistent) std::erase_if(candidates, std::mem_fn(&select::Candidate::is_native));
  if (candidates.size() < 2) return nullptr;

  select::SiteShape shape{.collective = common.collective,
                          .kind = kind,
                          .ranks = static_cast<uint64_t>(topology.rank_count()),
                          .nodes = static_cast<uint64_t>(topology.node_count()),
                          .ranks_per_node = static_cast<uint64_t>(topology.largest_node_size())};
  shape.bytes_known = select::bytes_of_interest(common, &shape.bytes);
  const uint32_t number = site_count_++;
  if (!ways_) ways_.emplace(communicator_, world_ranks_);
  const auto budget = static_cast<uint32_t>(runtime.settings().number("TUTTI_TUNE_BUDGET"));
  const uint64_t seed = uint64_t{communicator_.id()} << 16 | number;
  return std::make_unique<Site>(
      *ways_, number, shape, std::move(candidates),
      select::TunerOptions{.budget_permille = budget, .expected_calls = expected_calls, .seed = seed});
}

}  // namespace tutti::mpi
