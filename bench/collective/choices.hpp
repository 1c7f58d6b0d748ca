#pragma once
// Finds which algorithms serve the calls under test. The preloaded library knows it if it keeps a report
// (TUTTI_REPORT=memory, which `tutti bench` sets).

#include <cstdint>
#include <map>
#include <string>

namespace tutti::bench {

/// Calls of one collective up to now, by what has served them.
using ChoiceCounts = std::map<std::string, uint64_t>;

/// The counts of this rank; empty if no report is kept.
ChoiceCounts choices_so_far(const std::string& collective);

/// The calls between two looks.
ChoiceCounts choices_between(const ChoiceCounts& before, const ChoiceCounts& after);

/// Describes what served the calls: "native", "chain:segment=16K"; if it changed, the most frequent choice and the
/// number of others: "ring and 2 others". Empty: unknown.
std::string choice_of(const ChoiceCounts& served);

}  // namespace tutti::bench
