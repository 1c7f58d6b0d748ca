#include "engine/signal.hpp"

#include "base/futex.hpp"

namespace tutti::engine {

namespace {

// A sleep costs the setting thread a system call and the sleeping thread two context switches, so poll a
// little first.
constexpr uint32_t k_polls_before_sleep = 20;
constexpr uint32_t k_polls_automatic = 400;

}  // namespace

void Signal::set() {
  const std::atomic<uint32_t>* const address = &state_;
  if (state_.exchange(k_set, std::memory_order_acq_rel) == k_awaited) base::futex_wake(address);
}

void Signal::wait(WaitPolicy policy, base::CpuShare share) {
  const bool sleeps = policy == WaitPolicy::sleep || policy == WaitPolicy::automatic;
  const bool sleeps_soon = policy == WaitPolicy::sleep || share == base::CpuShare::shared;
  const uint32_t most_polls = sleeps_soon ? k_polls_before_sleep : k_polls_automatic;
  Waiter waiter(sleeps ? WaitPolicy::spin : policy);
  for (uint32_t polls = 0; !is_set(); ++polls) {
    if (sleeps && polls >= most_polls) return sleep();
    waiter.idle();
  }
}

void Signal::sleep() {
  uint32_t seen = k_unset;
  state_.compare_exchange_strong(seen, k_awaited, std::memory_order_acquire);
  while (!is_set()) base::futex_wait(state_, k_awaited);
}

}  // namespace tutti::engine
