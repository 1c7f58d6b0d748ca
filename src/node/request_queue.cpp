#include "node/request_queue.hpp"

#include <fmt/format.h>

#include <atomic>

#include "node/request_word.hpp"
#include "transport/endpoint.hpp"

namespace tutti::node {
namespace {

using base::Status;

/// The entry already belongs to this operation: checks that all ranks call the same collective with the same
/// leader.
Status check_same(const RequestWord& request, uint8_t collective, std::optional<uint32_t> forced_leader,
                  uint32_t member_count) {
  if (request.collective != collective) {
    return Status::invalid_argument(
        fmt::format("operation {}: ranks of one node call different collectives (numbers {} and {})",
                    request.sequence, request.collective, collective));
  }
  if (forced_leader && *forced_leader != request.leader) {
    return Status::invalid_argument(
        fmt::format("operation {}: ranks of one node name different leaders ({} and {}); "
                    "is the root the same everywhere?",
                    request.sequence, request.leader, *forced_leader));
  }
  if (request.arrived == member_count) {
    return Status::internal(fmt::format("operation {}: more arrivals than members", request.sequence));
  }
  return {};
}

}  // namespace

RequestQueue::RequestQueue(const Region& region) : region_(region) {}

base::Result<Arrival> RequestQueue::arrive(uint8_t collective, uint32_t sequence,
                                           std::optional<uint32_t> forced_leader) {
  const uint32_t me = region_.me().index;
  const uint32_t member_count = region_.member_count();
  if (forced_leader && *forced_leader >= member_count) {
    return Status::invalid_argument(
        fmt::format("leader {} of a node with {} members", *forced_leader, member_count));
  }
  auto& word = *reinterpret_cast<std::atomic<uint64_t>*>(region_.base() +
                                                         region_.layout().request(sequence % k_depth));

  uint64_t seen = word.load(std::memory_order_acquire);
  while (true) {
    RequestWord request = RequestWord::unpack(seen);
    if (request.sequence == sequence) {
      if (Status same = check_same(request, collective, forced_leader, member_count); !same) return same;
    } else if (request.sequence == sequence - k_depth) {
      if (request.arrived < member_count) return transport::try_again();
      request = {.sequence = sequence, .collective = collective, .leader = forced_leader.value_or(me)};
    } else {
      return Status::internal(
          fmt::format("operation {}: out of order, {} is open", sequence, request.sequence));
    }
    ++request.arrived;
    if (word.compare_exchange_weak(seen, request.pack(), std::memory_order_acq_rel,
                                   std::memory_order_acquire)) {
      return Arrival{.leader = request.leader, .is_leader = request.leader == me};
    }
  }
}

}  // namespace tutti::node
