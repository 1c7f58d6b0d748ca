#pragma once
// The table of all algorithms. To add one, add its source file and its line in catalogue.cpp.

#include <span>
#include <string_view>

#include "algorithm/algorithm.hpp"

namespace tutti::algorithm {

/// Every algorithm, grouped by collective in the order of enum Collective.
std::span<const Algorithm* const> catalogue();

/// The algorithm of that name for that collective, or nullptr.
const Algorithm* find(Collective collective, std::string_view name);

}  // namespace tutti::algorithm
