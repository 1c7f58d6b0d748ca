#pragma once
// How a rank waits while nothing moves (DESIGN §6). Affects which thread gets the core, never correctness.

#include <cstdint>
#include <string_view>

#include "base/cpu_share.hpp"

namespace tutti::engine {

enum class WaitPolicy : uint8_t {
  spin,       // polls without a break: shortest latency, needs a core for every waiting rank
  yield,      // calls sched_yield() after every empty poll
  sleep,      // naps after a number of empty polls: for ranks that share cores
  automatic,  // chosen by the thread's share of the machine (Waiter)
};

std::string_view to_string(WaitPolicy policy);  // "spin", …
/// Sets the policy of that name; false if there is none.
bool from_string(std::string_view name, WaitPolicy* policy);

/// Makes naps of this thread as short as requested: by default the kernel extends them by a timer slack of 50
/// µs. The first nap calls it anyway; call it earlier if the program may forbid this system call later
/// (seccomp).
void prepare_thread_for_naps();

/// Implements a policy for one waiting thread at a time. Call idle() after a poll that moved nothing and
/// busy() after one that did. `spin` makes no system call, nor does the spinning phase of the others.
///
/// `automatic` spins, then yields, then naps:
///   own      spins some tens of µs, then yields: only other threads of this process may need the core
///   crowded  likewise, but naps in waits longer than a millisecond: threads that share the core may compute
///   shared   adapts its spins and yields to the lengths of earlier waits; few if those ended in naps
/// A nap takes an eighth of the time waited so far, at least 20 µs and at most 200 µs.
class Waiter {
 public:
  explicit Waiter(WaitPolicy policy, base::CpuShare share = base::CpuShare::own);

  void busy() {
    if (empty_polls_ == 0) return;
    if (adapts_) adapt();
    empty_polls_ = 0;
    waited_ns_ = 0;
  }
  void idle();

  /// The next idle() would nap. The caller may instead sleep for nap_ns() in a wait that can be interrupted,
  /// and then call napped().
  bool is_napping() const { return empty_polls_ >= spins_ && empty_polls_ - spins_ >= yields_; }
  uint64_t nap_ns() const;
  void napped();

 private:
  void adapt();
  void yield();

  // Number of empty polls before the thread yields, and of further ones before it naps.
  uint32_t spins_ = 0;
  uint32_t yields_ = 0;
  uint32_t empty_polls_ = 0;
  bool adapts_ = false;
  uint64_t least_wait_ns_ = 0;  // minimum wait before it naps
  uint64_t started_ns_ = 0;     // time of the first yield; used if least_wait_ns_ > 0
  uint64_t waited_ns_ = 0;      // as far as known
};

/// Number of naps of all threads of this process.
uint64_t nap_count();

}  // namespace tutti::engine
