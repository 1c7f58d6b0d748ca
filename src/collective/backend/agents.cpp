// Agents of the nodes (agent/calls.hpp).

#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "agent/calls.hpp"
#include "collective/backend/backend.hpp"

namespace tutti::collective {
namespace {

/// Copy of the request with the offsets of its blocks; blocks without offsets are contiguous.
std::shared_ptr<const algorithm::OwnedRequest> with_offsets(algorithm::Request request) {
  std::vector<uint64_t> offsets;
  if (request.blocks.offsets.empty()) {
    const auto& sizes = request.blocks.sizes;
    std::exclusive_scan(sizes.begin(), sizes.end(), std::back_inserter(offsets), uint64_t{0});
    request.blocks.offsets = offsets;
  }
  return std::make_shared<const algorithm::OwnedRequest>(request);
}

agent::Description describe(const BackendContext& context, const algorithm::RankInvariantRequest& request,
                            const select::Candidate& candidate) {
  return agent::describe(request, *context.group.topology, context.agent_bytes, candidate.choice);
}

bool takes(const select::Candidate& candidate, const Execution&) {
  return candidate.is_by_agents();
}

base::Status can_serve(const BackendContext& context, const algorithm::RankInvariantRequest& request,
                       const select::Candidate& candidate, const Execution& execution) {
  if (!execution.waits_inside) return base::Status::not_supported("agents serve blocking calls only");
  std::string why_not;
  if (!agent::serves(request, *context.group.topology, &why_not)) return base::Status::not_supported(why_not);
  if (context.agent_bytes == 0) return base::Status::not_supported("a node has no memory for its agent");
  if (!agent::fits(describe(context, request, candidate)))
    return base::Status::not_supported("it takes more than an agent's memory");
  return {};
}

base::Result<CallWork> prepare(const BackendContext& context, const algorithm::Request& request,
                               const select::Candidate& candidate, const Execution&) {
  AgentCall call{
      .whole = describe(context, request, candidate), .in_place = request.in_place, .parts = nullptr};
  if (!request.blocks.is_uniform()) call.parts = with_offsets(request);
  return CallWork(std::move(call));
}

}  // namespace

extern const Backend agents_backend;
const Backend agents_backend = {.takes = takes, .can_serve = can_serve, .prepare = prepare};

}  // namespace tutti::collective
