#pragma once
// An algorithm: an entry of the catalogue (DESIGN §2, §4). Algorithms are pure: no MPI, no state, any thread.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithm/rank_invariant_request.hpp"
#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "schedule/schedule.hpp"
#include "topology/topology.hpp"

namespace tutti::algorithm {

using schedule::BufRef;
using schedule::k_no_task;
using schedule::Nested;
using schedule::OperandOrder;
using schedule::Peer;
using schedule::Schedule;
using schedule::ScheduleBuilder;
using schedule::Slot;
using schedule::TaskId;
using topology::Topology;

/// The schedule of one rank, or the reason why there is none.
using BuildResult = base::Result<Schedule>;

/// A numeric or choice parameter of an algorithm.
struct Parameter {
  enum class Unit : uint8_t { count, bytes, choice };
  std::string_view name;
  std::string_view summary;
  Unit unit = Unit::count;
  uint64_t default_value = 0;
  uint64_t min = 0;
  uint64_t max = 0;
  std::span<const std::string_view> choices = {};  // Unit::choice: the value is an index into this list
};

inline constexpr size_t k_max_parameters = 6;

/// Values for the parameters of one algorithm, in the order of Algorithm::parameters.
struct ParameterSet {
  std::array<uint64_t, k_max_parameters> values{};
  uint64_t operator[](size_t i) const { return values[i]; }
  bool operator==(const ParameterSet&) const = default;
};

/// Cost of an algorithm if all ranks arrive together; the verifier counts the same quantities from the schedule.
struct Cost {
  uint64_t rounds = 0;         // number of messages on the longest chain of dependent messages
  uint64_t busiest_bytes = 0;  // maximum over ranks of the bytes sent (to all peers, local ones included)
  /// Two-level forms: the exact numbers depend on the placement of ranks on nodes. alltoallv, alltoallw: they depend on
  /// block sizes of other ranks.
  bool is_upper_bound = false;
  bool operator==(const Cost&) const = default;
};

/// A block that a rank receives, either as its destination or to forward it.
struct ForwardedBlock {
  Rank source, destination;
};

/// For algorithms that forward blocks through ranks that do not know their sizes: the sizes are sent first, and the
/// schedule of the blocks is built from them (block_forwarding.hpp).
struct BlockForwarding {
  /// The blocks that reach `me`, in the order of Request::passing_blocks.
  std::vector<ForwardedBlock> (*forwarded_blocks)(const Request&, Rank me, const Topology&,
                                                  const ParameterSet&);
  /// Builds the exchange of sizes, 8-byte numbers. Input: the size of this rank's block for each rank. Output: the
  /// sizes of forwarded_blocks().
  BuildResult (*build_sizes)(const Request&, Rank me, const Topology&, const ParameterSet&);
};

struct Algorithm {
  std::string_view name;     // "chain"
  std::string_view summary;  // one line
  std::string_view source;   // paper and section, or author and year
  Collective collective;
  std::span<const Parameter> parameters;
  /// Whether the algorithm supports this request. If not, *why_not is set to a one-line reason.
  bool (*applies)(const RankInvariantRequest&, const Topology&, const ParameterSet&, std::string* why_not);
  BuildResult (*build)(const Request&, Rank me, const Topology&, const ParameterSet&);
  Cost (*cost)(const Request&, const Topology&, const ParameterSet&);
  /// Designed for one known late rank, which is the value of the first parameter (late_order.hpp).
  bool is_for_late_rank = false;
  /// Designed for early return: the parts of the result that the caller waits for come first. Other algorithms are
  /// better for calls that wait for the complete result.
  bool is_for_early_return = false;
  /// Designed for networks with long cables between far nodes; no gain on other networks.
  bool is_for_large_network = false;
  /// With equal blocks and one rank per node, the tasks of rank r are those of rank 0 with r added to all peers (modulo
  /// the number of ranks) and other offsets. The simulator then builds one schedule for all ranks.
  bool is_the_same_for_all = false;
  /// nullptr: each rank knows the sizes of all blocks that it handles. Otherwise a call waits for the sizes before it
  /// can build the schedule of the blocks.
  const BlockForwarding* forwarding = nullptr;
};

/// The defaults of all parameters.
ParameterSet default_parameters(const Algorithm& algorithm);

/// An algorithm with its parameters, written "chain:segment=64K:window=2".
struct Choice {
  const Algorithm* algorithm = nullptr;
  ParameterSet parameters;
  bool operator==(const Choice&) const = default;
};

/// Parses "name[:parameter=value]…" for `collective`. Byte values accept the suffixes K, M, G (powers of 1024). Error:
/// invalid_argument, with the invalid token and the nearest known one.
base::Result<Choice> parse_choice(Collective collective, std::string_view text);
/// The shortest text that parse_choice() parses to the same choice.
std::string to_string(const Choice& choice);

}  // namespace tutti::algorithm
