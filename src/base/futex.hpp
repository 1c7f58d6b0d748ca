#pragma once
// Sleeping until a word changes: the kernel's futex.

#include <atomic>
#include <climits>
#include <cstdint>

namespace tutti::base {

/// Who may sleep on a word: threads of this process, or of any that shares the memory.
enum class FutexScope : uint8_t { process, machine };

/// Sleeps while `word` is `expected`, at most `timeout_ns` long. May return early for no reason: the caller
/// looks again. One system call.
void futex_wait(const std::atomic<uint32_t>& word, uint32_t expected);
void futex_wait(const std::atomic<uint32_t>& word, uint32_t expected, uint64_t timeout_ns,
                FutexScope scope = FutexScope::process);

/// Wakes up to `most` threads that sleep on the word at `address`. One system call. The word itself is not
/// touched, and may be gone already: then nobody sleeps there, or somebody wakes for no reason.
void futex_wake(const std::atomic<uint32_t>* address, int most = INT_MAX,
                FutexScope scope = FutexScope::process);

}  // namespace tutti::base
