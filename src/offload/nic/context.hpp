#pragma once
// A descriptor decoded by the dispatcher: only OF writes it; the other modules read it.

#include <array>
#include <cstdint>
#include <vector>

#include "offload/descriptor.hpp"

namespace tutti::offload::nic {

struct RoundPlan {
  uint8_t sends = 0, receives = 0;
  Action action = Action::none;
  uint8_t own_position = 0;
  uint32_t first_send = 0, first_receive = 0;  // in the lists of the context
};

struct Context {
  uint8_t kind = 0, completion = 0, op = 0, type = 0;
  uint32_t rounds = 0, elements = 0;
  uint16_t id = 0;
  uint32_t epoch = 0, rank = 0;
  uint64_t cookie = 0;
  std::array<RoundPlan, k_most_rounds> plan{};
  std::vector<uint32_t> sends, receives;  // of all rounds in sequence

  uint32_t destination(uint32_t round, uint32_t index) const { return sends[plan[round].first_send + index]; }
  uint32_t source(uint32_t round, uint32_t index) const {
    return receives[plan[round].first_receive + index];
  }
  /// The index of `rank` in the round's receive list, or its length.
  uint32_t find_source(uint32_t round, uint32_t rank_sought) const {
    uint32_t index = 0;
    while (index < plan[round].receives && source(round, index) != rank_sought) ++index;
    return index;
  }
};

/// Needed only by contexts that carry a value: value[r] is the value in the notifications of round r.
using Values = std::vector<std::array<uint64_t, k_most_elements>>;

}  // namespace tutti::offload::nic
