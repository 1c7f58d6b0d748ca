#pragma once
// GOAL: the sends, receives and computations of each rank of a program, as text (Hoefler, Siebert, Lumsdaine: Group
// Operation Assembly Language, ICPP 2009; in the syntax of LogGOPSim's txt2bin). Pure; any thread.
//
//   num_ranks 2
//   rank 0 {
//   l1: calc 500                       nanoseconds
//   l2: send 8b to 1 tag 7 cpu 0 nic 0
//   l2 requires l1                     l2 begins after l1 has ended
//   }
//   rank 1 {
//   l1: recv 8b from 0 tag 7           -1: any source, any tag
//   l2: calc 100
//   l2 irequires l1                    l2 begins after l1 has begun
//   calc 20                            a label is needed only if another operation refers to it
//   }
//
// A label that is used twice refers to the first operation.
// Limits: 1 TiB a message, 10^15 ns a calc, 65536 CPUs, 65536 NICs.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"

namespace tutti::simulate {

inline constexpr int32_t k_any = -1;

struct GoalOperation {
  enum class Kind : uint8_t { send, recv, calc };
  std::string label;  // may be empty
  Kind kind = Kind::calc;
  uint64_t amount = 0;  // bytes; nanoseconds of calc
  int32_t peer = 0;     // send, recv; k_any: any (recv only)
  int64_t tag = 0;      // likewise
  uint16_t cpu = 0;
  uint16_t nic = 0;  // send, recv
  bool operator==(const GoalOperation&) const = default;
};

/// Operation `after` waits for `before`, by index.
struct GoalOrder {
  uint32_t after = 0, before = 0;
  bool at_start = false;  // irequires
  bool operator==(const GoalOrder&) const = default;
};

struct GoalRank {
  std::vector<GoalOperation> operations;
  std::vector<GoalOrder> orders;
  bool operator==(const GoalRank&) const = default;
};

struct GoalProgram {
  std::vector<GoalRank> ranks;
  bool operator==(const GoalProgram&) const = default;
};

inline constexpr uint32_t k_most_goal_ranks = 1u << 20;

/// Error: invalid_argument, one line that starts with `origin` and the line number: invalid GOAL, a missing or
/// duplicate rank, a missing label, a cycle of operations.
base::Result<GoalProgram> parse_goal(std::string_view text, const std::string& origin);

/// Text that parse_goal() parses to the same program.
std::string format_goal(const GoalProgram& program);

}  // namespace tutti::simulate
