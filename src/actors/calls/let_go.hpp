#pragma once
// Sends of collectives that a rank ends while it waits, because their receivers are late.

#include <cstdint>

namespace tutti::actors {

struct LetGo {
  uint64_t most_bytes = 0;  // longer ones are worth more of a wait
  bool has_ended_some = false;
  uint64_t least_left = UINT64_MAX;  // bytes of the shortest of those
};

}  // namespace tutti::actors
