#pragma once
// How a rank waits while nothing moves (DESIGN §6). Affects which thread gets the core, never correctness.

#include <cstdint>
#include <string_view>

#include "base/cpu_share.hpp"

namespace tutti::engine {

enum class WaitPolicy : uint8_t {
  spin,       // polls without a break: shortest latency, needs a core for every waiting rank
  yield,      // offers the core after every empty poll
  sleep,      // naps after a number of empty polls: right where ranks share cores
  automatic,  // as the thread's share of the machine asks for (Waiter)
};

std::string_view to_string(WaitPolicy policy);  // "spin", …
/// The policy of that name; false when there is none.
bool from_string(std::string_view name, WaitPolicy* policy);

/// Naps of this thread are as short as is asked for: the kernel rounds them up by its timer slack, 50 µs unless told
/// otherwise. By itself at the first nap; a program may forbid its threads such calls (seccomp) before that.
void prepare_thread_for_naps();

/// Carries out a policy for one waiting thread at a time. Call idle() after a poll that moved nothing and
/// busy() after one that did. `spin` makes no system call, nor does the spinning part of the others.
///
/// `automatic` spins, then yields, then naps:
///   own      some tens of µs, then yields: no other thread needs the core, and one of the process's own gets it
///   crowded  likewise, but naps in waits of a millisecond and more: who shares the core may compute meanwhile
///   shared   spins and yields as long as waits have taken so, which is next to nothing where they end in naps
/// A nap is never longer than an eighth of what the thread has waited already, or the shortest that is worth it.
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

  /// The next idle() would nap. The caller may sleep instead where something can wake it, for as long as nap_ns(), and
  /// call napped().
  bool is_napping() const { return empty_polls_ >= spins_ && empty_polls_ - spins_ >= yields_; }
  uint64_t nap_ns() const;
  void napped();

 private:
  void adapt();
  void yield();

  // Empty polls before the thread yields, and further ones before it naps.
  uint32_t spins_ = 0;
  uint32_t yields_ = 0;
  uint32_t empty_polls_ = 0;
  bool adapts_ = false;
  uint64_t least_wait_ns_ = 0;  // before it naps, if that is later
  uint64_t started_ns_ = 0;     // of the first yield; where least_wait_ns_ > 0
  uint64_t waited_ns_ = 0;      // as far as is known
};

/// Naps of all threads of this process so far.
uint64_t nap_count();

}  // namespace tutti::engine
