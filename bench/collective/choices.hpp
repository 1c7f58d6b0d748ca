#pragma once
// Which algorithms serve the calls under test. What is preloaded knows, where it keeps a report
// (TUTTI_REPORT=memory, which `tutti bench` sets).

#include <cstdint>
#include <map>
#include <string>

namespace tutti::bench {

/// Calls of one collective up to now, by what has served them.
using ChoiceCounts = std::map<std::string, uint64_t>;

/// Of this rank; empty where no report is kept.
ChoiceCounts choices_so_far(const std::string& collective);

/// The calls between two looks.
ChoiceCounts choices_between(const ChoiceCounts& before, const ChoiceCounts& after);

/// What served calls: "native", "chain:segment=16K", where it was not always the same the one with most calls and
/// how many others there were, "ring and 2 others". Empty: not known.
std::string choice_of(const ChoiceCounts& served);

}  // namespace tutti::bench
