#pragma once
// How many pages open together.

#include <cstdint>

namespace tutti::overlap::guard {

/// Pages of this many bytes, beginning at a multiple of it, open together: opening one costs nearly as much as opening
/// many. 64 KiB; 256 KiB where that is cheaper than a quarter of it, because the kernel forgets the translations of few
/// pages one by one, which takes long in some virtual machines. Measured once in a process. Any thread.
uint64_t unit_bytes();

}  // namespace tutti::overlap::guard
