#include "collective/leader_queue.hpp"

#include <fmt/format.h>

namespace tutti::collective {

using base::Status;

base::Result<Arrival> LeaderQueue::arrive(uint32_t member, uint8_t collective, uint32_t sequence,
                                          std::optional<uint32_t> forced_leader) {
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] =
      open_.try_emplace(sequence, Open{.collective = collective, .leader = forced_leader.value_or(member)});
  Open& open = place->second;
  if (open.collective != collective)
    return Status::invalid_argument(
        fmt::format("operation {}: ranks of one node call different collectives (numbers {} and {})",
                    sequence, open.collective, collective));
  if (open.leader != forced_leader.value_or(open.leader))
    return Status::invalid_argument(
        fmt::format("operation {}: ranks of one node name different leaders ({} and {}); "
                    "is the root the same everywhere?",
                    sequence, open.leader, *forced_leader));
  const Arrival arrival{.leader = open.leader, .is_leader = open.leader == member};
  if (++open.arrived == member_count_) open_.erase(place);
  return arrival;
}

}  // namespace tutti::collective
