#include "engine/wait_policy.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <array>

#include "base/cpu_set.hpp"

namespace tutti::engine {

namespace {

constexpr std::array<std::string_view, 4> k_names = {"spin", "yield", "sleep", "automatic"};

constexpr uint32_t k_never = UINT32_MAX;
// Measured with eight ranks on two cores: naps of 10 to 20 µs after 20 empty polls.
constexpr uint32_t k_polls_before_nap = 20;
constexpr uint32_t k_yields_before_nap = 4;
constexpr long k_nap_ns = 20'000;
// With a core for every rank a message is usually on its way; the thread yields only after some tens of µs.
constexpr uint32_t k_polls_before_yield = 400;

/// Asks the kernel once: a wait has no time for it, and a thread that binds itself later leaves the cores to the other
/// threads.
bool has_core_for_each(uint32_t ranks_on_node) {
  static const uint32_t cores = base::usable_cpu_count();
  return ranks_on_node <= cores;
}

/// The kernel rounds short sleeps up by the thread's timer slack, 50 µs unless told otherwise.
void set_timer_slack_once() {
  thread_local const bool is_set = [] {
    prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
    return true;
  }();
  (void)is_set;
}

void nap() {
  set_timer_slack_once();
  const timespec duration{.tv_sec = 0, .tv_nsec = k_nap_ns};
  nanosleep(&duration, nullptr);  // a signal ends it early, which is fine
}

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

std::string_view to_string(WaitPolicy policy) {
  return k_names[static_cast<size_t>(policy)];
}

bool from_string(std::string_view name, WaitPolicy* policy) {
  const auto found = std::ranges::find(k_names, name);
  if (found == k_names.end()) return false;
  *policy = static_cast<WaitPolicy>(found - k_names.begin());
  return true;
}

Waiter::Waiter(WaitPolicy policy, uint32_t ranks_on_node) : yield_after_(k_never), nap_after_(k_never) {
  switch (policy) {
    case WaitPolicy::spin:
      break;
    case WaitPolicy::yield:
      yield_after_ = 0;
      break;
    case WaitPolicy::sleep:
      nap_after_ = k_polls_before_nap;
      break;
    case WaitPolicy::automatic:
      if (has_core_for_each(ranks_on_node)) {
        yield_after_ = k_polls_before_yield;
      } else {
        yield_after_ = k_polls_before_nap;
        nap_after_ = k_polls_before_nap + k_yields_before_nap;
      }
  }
}

void Waiter::idle() {
  if (empty_polls_ >= nap_after_) return nap();
  const bool is_yielding = empty_polls_ >= yield_after_;
  if (empty_polls_ < k_never - 1) ++empty_polls_;
  if (is_yielding)
    sched_yield();
  else
    relax();
}

}  // namespace tutti::engine
