#pragma once
// Measured times of collectives, as written by `tutti bench --json`. Pure; any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "algorithm/uniform_request.hpp"
#include "base/status.hpp"
#include "topology/topology.hpp"

namespace tutti::simulate {

struct MeasuredCall {
  algorithm::UniformCall call;
  algorithm::Choice choice;
  double ns = 0;  // of the slowest rank, median
};

struct Measurements {
  topology::Topology topology;
  std::vector<MeasuredCall> calls;
  size_t others = 0;  // measurements without a time, or not by an algorithm of the catalogue
  std::optional<double> link_ns_per_byte;  // of a link between nodes, if it was measured
};

inline constexpr schedule::Rank k_most_measured_ranks = 65536;

/// Parses the text: {"ranks_of_node": [2, 2], "link_bytes_per_second": 1e9, "measurements": [{"collective": "bcast",
/// "bytes": 8, "choice": "knomial", "tutti_us": [12.3, …]}, …]}. The rate may be missing; other members are ignored.
/// Ranks are placed on nodes in order. Error: invalid_argument, one line that starts with `origin`.
base::Result<Measurements> parse_measurements(std::string_view text, const std::string& origin);

}  // namespace tutti::simulate
