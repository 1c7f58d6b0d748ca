#pragma once
// What all ranks know alike of a call (DESIGN §5a, first law).

#include "algorithm/request.hpp"

namespace tutti::dispatch {

/// The part of a request that is the same on all ranks: all that a decision may look at.
algorithm::Request common_part(algorithm::Request request);

}  // namespace tutti::dispatch
