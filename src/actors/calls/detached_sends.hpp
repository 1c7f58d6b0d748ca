#pragma once
// State of one pass that detaches sends of collectives: a waiting rank completes them early because receivers
// are late.

#include <cstdint>

namespace tutti::actors {

struct DetachedSends {
  uint64_t most_bytes = 0;  // longer messages are detached only after a longer wait
  bool has_ended_some = false;
  uint64_t least_left = UINT64_MAX;  // bytes of the shortest message that was too long
};

}  // namespace tutti::actors
