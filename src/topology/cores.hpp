#pragma once
// What this process may compute on.

#include <cstdint>

#include "base/status.hpp"

namespace tutti::topology {

/// Processing units (hardware threads) in this process's affinity mask, at least 1. One system call.
uint32_t usable_cpu_count();
/// One number for that mask: equal where two processes of a machine may use the same. One system call.
uint64_t usable_cpu_fingerprint();

/// Physical cores behind these processing units. Loads the machine's topology with hwloc at the first call,
/// which takes tens of milliseconds (the above: microseconds): not for start-up. Errors: system.
base::Result<uint32_t> usable_core_count();

}  // namespace tutti::topology
