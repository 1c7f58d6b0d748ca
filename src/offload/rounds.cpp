#include "offload/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pattern/multiplying.hpp"

namespace tutti::offload {

using base::Result;
using base::Status;
using pattern::DisseminationShape;

namespace {

Status check_place(uint32_t nodes, NodeId rank, uint32_t radix) {
  if (nodes == 0) return Status::invalid_argument("there are no nodes");
  if (rank >= nodes) return Status::invalid_argument(fmt::format("rank {}: there are {} nodes", rank, nodes));
  if (radix < k_least_radix || radix > k_most_radix)
    return Status::invalid_argument(
        fmt::format("radix {}: a descriptor has room for {} to {}", radix, k_least_radix, k_most_radix));
  return {};
}

Status check_length(size_t rounds, uint32_t nodes, uint32_t radix) {
  if (rounds <= k_most_rounds) return {};
  return Status::invalid_argument(fmt::format("{} nodes with radix {} need {} rounds; a descriptor has {}",
                                              nodes, radix, rounds, k_most_rounds));
}

/// The exchange of a keeper's group in one round: every member's value is sent to every member.
Round exchange(const pattern::Multiplying& shape, uint32_t position, size_t number) {
  Round round{.action = Action::combine};
  for (const uint32_t other : shape.group(position, number)) {
    if (other == position) {
      round.own_position = static_cast<uint8_t>(round.receives.size());
      continue;
    }
    round.receives.push_back(shape.keeper(other));
  }
  round.sends = round.receives;
  return round;
}

std::vector<Round> keeper_rounds(const pattern::Multiplying& shape, uint32_t position) {
  std::vector<Round> rounds;
  Round fold;
  for (uint32_t i = 1; i < shape.run(position); ++i) fold.receives.push_back(shape.keeper(position) + i);
  if (!fold.receives.empty()) fold.action = Action::combine;
  if (shape.is_folded()) rounds.push_back(fold);
  for (size_t r = 0; r < shape.factors().size(); ++r) rounds.push_back(exchange(shape, position, r));
  if (!fold.receives.empty()) rounds.push_back({.sends = fold.receives});
  return rounds;
}

}  // namespace

Result<std::vector<Round>> dissemination(uint32_t nodes, NodeId rank, uint32_t radix,
                                         DisseminationShape shape) {
  if (auto status = check_place(nodes, rank, radix); !status) return status;
  if (shape == DisseminationShape::symmetric && radix % 2 == 0)
    return Status::invalid_argument(fmt::format("the symmetric shape needs an odd radix, not {}", radix));
  const auto distances = pattern::dissemination_rounds(nodes, radix, shape);
  if (auto status = check_length(distances.size(), nodes, radix); !status) return status;
  std::vector<Round> rounds;
  for (const auto& of_round : distances) {
    Round& round = rounds.emplace_back();
    for (const uint64_t distance : of_round) {
      round.sends.push_back(static_cast<NodeId>((rank + distance) % nodes));
      round.receives.push_back(static_cast<NodeId>((uint64_t{rank} + nodes - distance) % nodes));
    }
  }
  return rounds;
}

Result<std::vector<Round>> recursive_multiplying(uint32_t nodes, NodeId rank, uint32_t radix) {
  if (auto status = check_place(nodes, rank, radix); !status) return status;
  const pattern::Multiplying shape(nodes, radix);
  const size_t round_count = shape.factors().size() + (shape.is_folded() ? 2 : 0);
  if (auto status = check_length(round_count, nodes, radix); !status) return status;
  const uint32_t position = shape.position(rank);
  const NodeId keeper = shape.keeper(position);
  if (rank == keeper) return keeper_rounds(shape, position);
  std::vector<Round> rounds(round_count);
  rounds.front().sends = {keeper};
  rounds.back().receives = {keeper};
  rounds.back().action = Action::replace;
  return rounds;
}

}  // namespace tutti::offload
