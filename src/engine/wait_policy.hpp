#pragma once
// How a rank waits while nothing moves (DESIGN §6). Affects which thread gets the core, never correctness.

#include <cstdint>
#include <string_view>

namespace tutti::engine {

enum class WaitPolicy : uint8_t {
  spin,       // polls without a break: shortest latency, needs a core for every waiting rank
  yield,      // offers the core after every empty poll
  sleep,      // naps after a number of empty polls: right where ranks share cores
  automatic,  // spins, then yields; where the node has more ranks than usable cores: spins briefly, yields,
              // naps
};

std::string_view to_string(WaitPolicy policy);  // "spin", …
/// The policy of that name; false when there is none.
bool from_string(std::string_view name, WaitPolicy* policy);

/// Carries out a policy for one waiting thread at a time. Call idle() after a poll that moved nothing and
/// busy() after one that did. `spin` makes no system call, nor does the spinning part of the others.
class Waiter {
 public:
  /// `ranks_on_node`: ranks that compete for the cores of this node.
  explicit Waiter(WaitPolicy policy, uint32_t ranks_on_node = 1);

  void busy() { empty_polls_ = 0; }
  void idle();

 private:
  // Empty polls before the thread yields, and before it naps.
  uint32_t yield_after_ = 0;
  uint32_t nap_after_ = 0;
  uint32_t empty_polls_ = 0;
};

}  // namespace tutti::engine
