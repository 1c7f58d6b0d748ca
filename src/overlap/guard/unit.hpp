#pragma once
// Size of the units in which pages are opened.

#include <cstdint>

namespace tutti::overlap::guard {

/// Pages of an aligned unit of this size are opened together, because opening one page costs nearly as much as opening
/// many. 64 KiB, or 256 KiB if that is cheaper to change: the kernel flushes TLB entries of few pages one by one, which
/// is slow in some virtual machines. Measured once per process. Any thread.
uint64_t unit_bytes();

}  // namespace tutti::overlap::guard
