#include "engine/wait_policy.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "base/clock.hpp"

namespace tutti::engine {

namespace {

constexpr std::array<std::string_view, 4> k_names = {"spin", "yield", "sleep", "automatic"};

constexpr uint32_t k_never = UINT32_MAX;
// Measured with eight ranks on two cores: naps of 10 to 20 µs after 20 empty polls.
constexpr uint32_t k_spins_before_nap = 20, k_fewest_spins = 8, k_most_spins = 100;
constexpr uint32_t k_yields_before_nap = 4, k_fewest_yields = 2, k_most_yields = 32;
constexpr uint64_t k_shortest_nap_ns = 20'000, k_longest_nap_ns = 200'000;
constexpr uint64_t k_nap_part = 8;
// With a core for every rank a message usually arrives soon; the thread yields only after some tens of µs.
constexpr uint32_t k_spins_before_yield = 400;
// After such a long wait napping costs relatively little.
constexpr uint64_t k_long_wait_ns = 1'000'000;

std::atomic<uint64_t> nap_count_of_process{0};

void nap(uint64_t nap_ns) {
  prepare_thread_for_naps();
  const timespec duration{.tv_sec = 0, .tv_nsec = static_cast<long>(nap_ns)};
  nanosleep(&duration, nullptr);  // may end early on a signal, which is harmless
}

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

void prepare_thread_for_naps() {
  thread_local const bool is_prepared = [] {
    prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
    return true;
  }();
  (void)is_prepared;
}

std::string_view to_string(WaitPolicy policy) {
  return k_names[static_cast<size_t>(policy)];
}

bool from_string(std::string_view name, WaitPolicy* policy) {
  const auto found = std::ranges::find(k_names, name);
  if (found == k_names.end()) return false;
  *policy = static_cast<WaitPolicy>(found - k_names.begin());
  return true;
}

Waiter::Waiter(WaitPolicy policy, base::CpuShare share) : spins_(k_never), yields_(k_never) {
  switch (policy) {
    case WaitPolicy::spin:
      break;
    case WaitPolicy::yield:
      spins_ = 0;
      break;
    case WaitPolicy::sleep:
      spins_ = k_spins_before_nap;
      yields_ = 0;
      break;
    case WaitPolicy::automatic:
      adapts_ = share == base::CpuShare::shared;
      spins_ = adapts_ ? k_spins_before_nap : k_spins_before_yield;
      if (share != base::CpuShare::own) yields_ = k_yields_before_nap;
      if (share == base::CpuShare::crowded) least_wait_ns_ = k_long_wait_ns;
  }
}

void Waiter::idle() {
  if (empty_polls_ < spins_) {
    if (empty_polls_ < k_never - 1) ++empty_polls_;
    return relax();
  }
  if (empty_polls_ - spins_ < yields_) {
    if (empty_polls_ < k_never - 1) ++empty_polls_;
    return yield();
  }
  nap(nap_ns());
  napped();
}

void Waiter::yield() {
  sched_yield();
  if (least_wait_ns_ == 0) return;
  const uint64_t now_ns = base::monotonic_ns();
  if (empty_polls_ == spins_ + 1) started_ns_ = now_ns;
  waited_ns_ = now_ns - started_ns_;
  if (empty_polls_ - spins_ == yields_ && waited_ns_ < least_wait_ns_) --empty_polls_;
}

uint64_t Waiter::nap_ns() const {
  return std::clamp(waited_ns_ / k_nap_part, k_shortest_nap_ns, k_longest_nap_ns);
}

void Waiter::napped() {
  nap_count_of_process.fetch_add(1, std::memory_order_relaxed);
  waited_ns_ += nap_ns();
}

/// A wait has ended: adapts the limits. A limit approaches twice the polls of waits that ended without naps,
/// and shrinks after waits that napped.
void Waiter::adapt() {
  const auto follow = [](uint32_t* limit, uint32_t wanted, uint32_t fewest, uint32_t most) {
    *limit = std::clamp((3 * *limit + wanted + 2) / 4, fewest, most);
  };
  if (empty_polls_ <= spins_) return follow(&spins_, 2 * empty_polls_, k_fewest_spins, k_most_spins);
  const uint32_t yields = empty_polls_ - spins_;
  follow(&spins_, 0, k_fewest_spins, k_most_spins);
  follow(&yields_, waited_ns_ > 0 ? 0 : 2 * yields, k_fewest_yields, k_most_yields);
}

uint64_t nap_count() {
  return nap_count_of_process.load(std::memory_order_relaxed);
}

}  // namespace tutti::engine
