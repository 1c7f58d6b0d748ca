#pragma once
// File descriptors that a process may still have.

#include <cstdint>

namespace tutti::base {

/// The process can open at least so many more files, by its limit (ulimit -n). Any thread; other threads may change it.
bool has_free_descriptors(uint64_t wanted);

}  // namespace tutti::base
