#include "collective/backend/backend.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace tutti::collective {

extern const Backend native_backend, agents_backend, block_forwarding_backend, early_return_backend,
    leader_election_backend, schedule_backend;

namespace {

constexpr std::array k_backends{&native_backend,       &agents_backend,          &block_forwarding_backend,
                                &early_return_backend, &leader_election_backend, &schedule_backend};

}  // namespace

const Backend& backend_of(const select::Candidate& candidate, const Execution& execution) {
  return **std::ranges::find_if(k_backends,
                                [&](const Backend* row) { return row->takes(candidate, execution); });
}

/// All ranks check all nodes and so get the same result. The need of a node depends on its size and on whether it
/// contains the root: one node of each kind is checked. Schedules that depend on sizes that only some ranks know use no
/// node memory.
base::Status has_memory_for(const BackendContext& context, const algorithm::RankInvariantRequest& request,
                            const algorithm::Choice& choice, bool has_node_memory) {
  const uint64_t node_bytes = has_node_memory ? context.node_bytes : 0;
  if (node_bytes == UINT64_MAX || !request.blocks.known) return {};
  const topology::Topology& topology = *context.group.topology;
  const algorithm::Request representative = request.representative();
  std::vector<std::pair<size_t, bool>> seen;
  for (int32_t node = 0; node < topology.node_count(); ++node) {
    const std::pair<size_t, bool> node_kind{topology.ranks_of(node).size(),
                                            topology.node_of(request.root) == node};
    if ((has_node_memory && node_kind.first < 2) ||
        std::find(seen.begin(), seen.end(), node_kind) != seen.end())
      continue;
    seen.push_back(node_kind);
    const auto schedule =
        choice.algorithm->build(representative, topology.leader_of(node), topology, choice.parameters);
    if (!schedule && schedule.status().code() == base::Code::out_of_memory)
      return {};  // prepare() fails on this rank
    if (!schedule) return schedule.status();
    if (schedule->node_bytes() > node_bytes)
      return base::Status::not_supported("it takes " + std::to_string(schedule->node_bytes()) +
                                         " bytes of a node's shared memory, where " +
                                         std::to_string(node_bytes) + " are available");
  }
  return {};
}

base::Result<std::shared_ptr<const engine::Plan>> plan_of(const BackendContext& context,
                                                          const algorithm::Request& request,
                                                          const algorithm::Choice& choice) {
  auto schedule =
      choice.algorithm->build(request, context.group.rank, *context.group.topology, choice.parameters);
  if (!schedule) return schedule.status();
  return engine::Plan::make(std::move(*schedule), {.window = context.options.window});
}

}  // namespace tutti::collective
