#pragma once
// Partners and blocks of the neighbour-exchange allgather (Chen, Yuan, Zhang, Zhan: Performance evaluation of allgather
// algorithms on terascale Linux cluster with fast Ethernet, HPC Asia 2005), for an even number of ranks on a ring.

#include <cstdint>

namespace tutti::pattern {

/// In round 0 the ranks 2i and 2i+1 exchange their blocks, so that both have pair i. In every later round each rank
/// exchanges one pair with the neighbour on its other side: first its own pair, then the pair that it received in the
/// previous round.
struct NeighbourExchange {
  int32_t count;  // even

  constexpr int32_t rounds() const { return count / 2; }

  constexpr int32_t partner(int32_t rank, int32_t round) const {
    const bool to_the_right = (rank % 2 == 0) == (round % 2 == 0);
    return (rank + (to_the_right ? 1 : count - 1)) % count;
  }

  /// The pair (blocks 2i and 2i+1) that `rank` sends in `round` >= 1. Pairs arrive from both sides alternately: an even
  /// rank forwards the pairs i, i-1, i+1, i-2, … around its own pair i, and an odd rank forwards the mirror image.
  constexpr int32_t pair_sent(int32_t rank, int32_t round) const {
    const int32_t pairs = count / 2;
    const int32_t age = round - 1;
    const int32_t away = (age + 1) / 2;
    const bool from_the_left = (rank % 2 == 0) == (age % 2 == 1);
    return ((rank / 2 + (from_the_left ? -away : away)) % pairs + pairs) % pairs;
  }
};

}  // namespace tutti::pattern
