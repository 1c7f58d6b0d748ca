#pragma once
// Runs the C++ model and the RTL of one engine side by side: same inputs in every cycle, all outputs compared
// in every cycle. Equal outputs imply equal completion order and cycle counts. Pure; any thread.

#include <cstdint>
#include <string>

#include "offload/nic/ports.hpp"

namespace tutti::rtl {

struct LockstepOptions {
  uint64_t seed = 1;
  uint32_t descriptors = 8;
  uint32_t most_cycles = 1'000'000;              // a longer pattern counts as not ended
  offload::nic::EngineConfiguration model, rtl;  // equal, unless a test provokes a difference
};

struct LockstepResult {
  uint64_t cycles = 0, transfers = 0;
  offload::nic::EngineCounters counters;  // of the model
  std::string difference;  // the first difference, or the reason for no end; empty: all was equal
};

LockstepResult run_lockstep(const LockstepOptions& options);

/// The same with an RTL of other sizes: `rtl` has just been reset and is configured as options.rtl.
LockstepResult run_lockstep(const LockstepOptions& options, offload::nic::EngineModel& rtl);

}  // namespace tutti::rtl
