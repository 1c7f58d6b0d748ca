#pragma once
// Number of file descriptors that a process can still open.

#include <cstdint>

namespace tutti::base {

/// Whether the process can open at least `wanted` more files within its limit (ulimit -n). Any thread; other threads
/// may change the result.
bool has_free_descriptors(uint64_t wanted);

}  // namespace tutti::base
