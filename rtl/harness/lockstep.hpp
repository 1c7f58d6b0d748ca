#pragma once
// The C++ model and the RTL of one engine side by side: the same inputs in every cycle, and every output
// compared in every cycle. What is equal there is equal in completion order and cycle counts. Pure; any
// thread.

#include <cstdint>
#include <string>

#include "offload/nic/ports.hpp"

namespace tutti::rtl {

struct LockstepOptions {
  uint64_t seed = 1;
  uint32_t descriptors = 8;
  uint32_t most_cycles = 1'000'000;              // a pattern that takes longer has not ended
  offload::nic::EngineConfiguration model, rtl;  // alike, unless a test wants to see a difference
};

struct LockstepResult {
  uint64_t cycles = 0, transfers = 0;
  offload::nic::EngineCounters counters;  // of the model
  std::string difference;                 // the first one, or why it has not ended; empty: all was equal
};

LockstepResult run_lockstep(const LockstepOptions& options);

/// The same with RTL of other sizes: `rtl` has just been reset and is configured as options.rtl.
LockstepResult run_lockstep(const LockstepOptions& options, offload::nic::EngineModel& rtl);

}  // namespace tutti::rtl
