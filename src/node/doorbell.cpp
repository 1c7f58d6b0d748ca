#include "node/doorbell.hpp"

#include "base/futex.hpp"
#include "node/shared_mailbox.hpp"

namespace tutti::node {

namespace {

// Values of MemberLine::bell. Members that never sleep (each on its own core) cost their senders no fence.
constexpr uint32_t k_never_slept = 0, k_awake = 1, k_asleep = 2;

}  // namespace

Doorbell::Doorbell(const Region& region) : state_(member_line(region, region.me().index).bell) {}

// Pairs with ring(): after prepare() a member checks its mailboxes; the fences ensure that it sees the
// message, or ring() sees k_asleep.
void Doorbell::prepare() {
  state_.store(k_asleep, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void Doorbell::cancel() {
  state_.store(k_awake, std::memory_order_relaxed);
}

void Doorbell::sleep(uint64_t most_ns) {
  if (state_.load(std::memory_order_acquire) == k_asleep)
    base::futex_wait(state_, k_asleep, most_ns, base::FutexScope::machine);
  cancel();
}

DoorbellSender::DoorbellSender(const Region& region) {
  for (uint32_t member = 0; member < region.member_count(); ++member)
    states_.push_back(&member_line(region, member).bell);
}

void DoorbellSender::ring(uint32_t member) const {
  std::atomic<uint32_t>& state = *states_[member];
  if (state.load(std::memory_order_relaxed) == k_never_slept) return;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  uint32_t asleep = k_asleep;
  if (state.load(std::memory_order_relaxed) == k_asleep &&
      state.compare_exchange_strong(asleep, k_awake, std::memory_order_acq_rel))
    base::futex_wake(&state, 1, base::FutexScope::machine);
}

}  // namespace tutti::node
