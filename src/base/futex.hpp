#pragma once
// Waits until a 32-bit word changes, by the kernel's futex.

#include <atomic>
#include <climits>
#include <cstdint>

namespace tutti::base {

/// Which threads may wait on a word: those of this process, or of all processes that share the memory.
enum class FutexScope : uint8_t { process, machine };

/// Sleeps while `word` is `expected`, at most `timeout_ns`. May return spuriously: the caller must check again. One
/// system call.
void futex_wait(const std::atomic<uint32_t>& word, uint32_t expected);
void futex_wait(const std::atomic<uint32_t>& word, uint32_t expected, uint64_t timeout_ns,
                FutexScope scope = FutexScope::process);

/// Wakes up to `most` threads that wait on the word at `address`. One system call. The word is not accessed and may
/// already be freed; at worst there is no waiter, or a spurious wake-up.
void futex_wake(const std::atomic<uint32_t>* address, int most = INT_MAX,
                FutexScope scope = FutexScope::process);

}  // namespace tutti::base
