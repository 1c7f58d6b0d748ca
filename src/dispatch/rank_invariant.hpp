#pragma once
// The rank-invariant part of a request (DESIGN §5a, first law).

#include "algorithm/request.hpp"

namespace tutti::dispatch {

/// Returns the request without the fields that can differ between ranks. Decisions may depend on nothing else.
algorithm::Request rank_invariant_part(algorithm::Request request);

}  // namespace tutti::dispatch
