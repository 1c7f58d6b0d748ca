#include "overlap/guard/faults.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>

#include "overlap/guard/closed_ranges.hpp"

/// Internal name in the C library, which remains usable when sigaction() is interposed (calls/signal_calls.cpp).
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" int __sigaction(int signal, const struct sigaction* action, struct sigaction* before) noexcept;

namespace tutti::overlap::guard {

namespace {

/// The program's own action for SIGSEGV. Two copies, so that a handler never reads the one that is being written.
struct Actions {
  struct sigaction copies[2];
  std::atomic<unsigned> current{0};
};
Actions theirs;
std::mutex theirs_mutex;
std::atomic<bool> are_caught{false};

/// A fault on a page that was closed at that moment, but is open when the handler checks, is retried once.
struct LastFault {
  const void* address;
  uint32_t open_count;
};
[[gnu::tls_model("initial-exec")]] constinit thread_local LastFault last_fault{};

bool deserves_another_try(const void* address) {
  const uint32_t now = open_count();
  if (last_fault.address == address && last_fault.open_count == now) return false;
  last_fault = {address, now};
  return true;
}

void hand_on(int signal, siginfo_t* info, void* context) {
  const struct sigaction action = theirs.copies[theirs.current.load(std::memory_order_acquire)];
  if ((action.sa_flags & SA_SIGINFO) != 0) return action.sa_sigaction(signal, info, context);
  if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) return action.sa_handler(signal);
  // Default action: the instruction faults again, or the signal sent by a process is raised again, and ends this
  // process.
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  __sigaction(signal, &standard, nullptr);
  if (info->si_code <= 0) raise(signal);
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  const bool is_fault = info->si_code > 0;  // not sent by a process
  const bool is_ours = is_fault && (await_open(info->si_addr, 1) || deserves_another_try(info->si_addr));
  if (!is_ours) hand_on(signal, info, context);
  errno = error;
}

}  // namespace

void catch_faults() {
  const std::lock_guard lock(theirs_mutex);
  if (are_caught.load(std::memory_order_relaxed)) return;
  struct sigaction ours {};
  ours.sa_sigaction = on_fault;
  // While a thread waits its other signals are handled, and their handlers may access closed pages too.
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
  sigemptyset(&ours.sa_mask);
  struct sigaction before {};
  __sigaction(SIGSEGV, &ours, &before);
  theirs.copies[0] = before;
  theirs.current.store(0, std::memory_order_release);
  are_caught.store(true, std::memory_order_release);
}

bool are_faults_caught() {
  return are_caught.load(std::memory_order_acquire);
}

bool exchange_fault_action(const struct sigaction* action, struct sigaction* before) {
  if (!are_caught.load(std::memory_order_acquire)) return false;
  const std::lock_guard lock(theirs_mutex);
  const unsigned current = theirs.current.load(std::memory_order_relaxed);
  struct sigaction old = theirs.copies[current];
  if (action != nullptr) {
    theirs.copies[1 - current] = *action;
    theirs.current.store(1 - current, std::memory_order_release);
  }
  if (before != nullptr) *before = old;
  return true;
}

}  // namespace tutti::overlap::guard
