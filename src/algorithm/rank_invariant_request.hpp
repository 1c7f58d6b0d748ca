#pragma once
// What all ranks know about a call (DESIGN §5a, first law).

#include <cstdint>

#include "algorithm/request.hpp"

namespace tutti::algorithm {

/// The rank-invariant part of a request: equal on all ranks of one call. Rules, run-time selection, backends and
/// Algorithm::applies() take this type, so that no decision can depend on what only one rank knows. Refers to the
/// arrays of the request.
struct RankInvariantRequest {
  /// Implicit: every request has this part, and the conversion drops all other fields.
  RankInvariantRequest(const Request& request);  // NOLINT(google-explicit-constructor)

  Collective collective;
  Rank rank_count;
  Rank root;
  uint64_t bytes;
  uint64_t element_bytes;
  bool commutative;
  bool is_predefined;
  /// As in Request.
  bool counts_known_everywhere;
  /// Sizes of the blocks, without offsets. Not known: gatherv, scatterv, alltoallv, alltoallw.
  Blocks blocks;

  /// A request with this part; all other fields have their defaults. For builders and costs whose result does not
  /// depend on other fields.
  Request representative() const;
};

}  // namespace tutti::algorithm
