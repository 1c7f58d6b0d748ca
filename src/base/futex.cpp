#include "base/futex.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace tutti::base {

namespace {

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t) && std::atomic<uint32_t>::is_always_lock_free,
              "the kernel reads the word behind the atomic");

int flag_of(FutexScope scope) {
  return scope == FutexScope::process ? FUTEX_PRIVATE_FLAG : 0;
}

// Errors are ignored: after EAGAIN, EINTR and ETIMEDOUT the caller checks the word again.
void wait(const std::atomic<uint32_t>& word, uint32_t expected, const timespec* timeout, FutexScope scope) {
  syscall(SYS_futex, &word, FUTEX_WAIT | flag_of(scope), expected, timeout, nullptr, 0);
}

}  // namespace

void futex_wait(const std::atomic<uint32_t>& word, uint32_t expected) {
  wait(word, expected, nullptr, FutexScope::process);
}

void futex_wait(const std::atomic<uint32_t>& word, uint32_t expected, uint64_t timeout_ns, FutexScope scope) {
  const timespec timeout{.tv_sec = static_cast<time_t>(timeout_ns / 1'000'000'000),
                         .tv_nsec = static_cast<long>(timeout_ns % 1'000'000'000)};
  wait(word, expected, &timeout, scope);
}

void futex_wake(const std::atomic<uint32_t>* address, int most, FutexScope scope) {
  syscall(SYS_futex, address, FUTEX_WAKE | flag_of(scope), most, nullptr, nullptr, 0);
}

}  // namespace tutti::base
