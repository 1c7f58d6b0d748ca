#pragma once
// An algorithm: a row of the catalogue (DESIGN §2, §4). Algorithms are pure: no MPI, no state, any thread.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "schedule/schedule.hpp"
#include "topology/topology.hpp"

namespace tutti::algorithm {

using schedule::Schedule;
using topology::Topology;

/// A number or a choice that shapes an algorithm.
struct Parameter {
  enum class Unit : uint8_t { count, bytes, choice };
  std::string_view name;
  std::string_view summary;
  Unit unit = Unit::count;
  uint64_t default_value = 0;
  uint64_t min = 0;
  uint64_t max = 0;
  std::span<const std::string_view> choices = {};  // Unit::choice: the value is an index into these
};

inline constexpr size_t k_max_parameters = 6;

/// Values for the parameters of one algorithm, in the order of Algorithm::parameters.
struct ParameterSet {
  std::array<uint64_t, k_max_parameters> values{};
  uint64_t operator[](size_t i) const { return values[i]; }
  bool operator==(const ParameterSet&) const = default;
};

/// What an algorithm costs when all ranks arrive together; the verifier counts the same from the schedule.
struct Cost {
  uint64_t rounds = 0;         // messages on the longest chain of messages that wait for each other
  uint64_t busiest_bytes = 0;  // most bytes that one rank sends (all peers, local ones included)
  /// Two-level forms: the exact numbers depend on how ranks lie on nodes. alltoallv, alltoallw: on blocks of
  /// others.
  bool is_upper_bound = false;
  bool operator==(const Cost&) const = default;
};

/// A block that a rank receives, whether it ends there or moves on.
struct Passage {
  Rank source, destination;
};

/// Of algorithms whose blocks pass through ranks that cannot know how long they are: the sizes go ahead, and only then
/// the schedule of the blocks can be built (relay.hpp).
struct Relay {
  /// What reaches `me`, in the order of Request::passing_blocks.
  std::vector<Passage> (*passages)(const Request&, Rank me, const Topology&, const ParameterSet&);
  /// Numbers of 8 bytes. Input: the size of the block for each rank. Output: those of passages().
  base::Result<Schedule> (*build_sizes)(const Request&, Rank me, const Topology&, const ParameterSet&);
};

struct Algorithm {
  std::string_view name;     // "chain"
  std::string_view summary;  // one line
  std::string_view source;   // paper and section, or author and year
  Collective collective;
  std::span<const Parameter> parameters;
  /// May it serve this request? Otherwise *why_not says why in one line. Gives the same answer on every rank:
  /// it reads nothing that only one rank knows.
  bool (*applies)(const Request&, const Topology&, const ParameterSet&, std::string* why_not);
  base::Result<Schedule> (*build)(const Request&, Rank me, const Topology&, const ParameterSet&);
  Cost (*cost)(const Request&, const Topology&, const ParameterSet&);
  /// Made for one rank that is known to come late, the value of its first parameter (late_order.hpp).
  bool is_for_late_rank = false;
  /// Made for calls that return before their data is there: the parts of the result that hold a caller up come first.
  /// Calls that wait for all of it have better ones.
  bool is_for_early_return = false;
  /// Made for networks in which far nodes are behind long cables; where there are none it gains nothing.
  bool is_for_large_network = false;
  /// With blocks of one size and one rank on each node, the tasks of rank r are those of rank 0 with r added to all
  /// peers (modulo the number of ranks) and other offsets. The simulator then builds one schedule for all.
  bool is_the_same_for_all = false;
  /// nullptr: each rank knows the sizes of the blocks that it meets. Otherwise calls have to wait inside.
  const Relay* relay = nullptr;
};

/// The defaults of all parameters.
ParameterSet default_parameters(const Algorithm& algorithm);

/// An algorithm with its parameters, written "chain:segment=64K:window=2".
struct Choice {
  const Algorithm* algorithm = nullptr;
  ParameterSet parameters;
  bool operator==(const Choice&) const = default;
};

/// Reads "name[:parameter=value]…" for `collective`. Byte values take K, M, G (powers of 1024).
/// Error: invalid_argument, naming the word at fault and the nearest known one.
base::Result<Choice> parse_choice(Collective collective, std::string_view text);
/// The shortest text that parse_choice() reads back as the same choice.
std::string to_string(const Choice& choice);

}  // namespace tutti::algorithm
