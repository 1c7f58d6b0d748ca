#pragma once
// The calls before which a late rank works longer than others: what is told about the reason of its lateness.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/analysis/analysis.hpp"
#include "record/analysis/symbols.hpp"

namespace tutti::record::analysis {

struct LongerWork {
  size_t site = 0;  // index in Analysis::sites
  uint32_t rank = 0;
  double gap_ns = 0;     // mean time that the rank has worked before a call of the site
  double others_ns = 0;  // the same of other ranks
  uint64_t gaps = 0;
};

/// The site before which `rank` has worked most beyond ranks that are not in `named`. Those are other members of the
/// communicator; if it has none, ranks that make such calls on others. nullopt: no site explains the lateness.
std::optional<LongerWork> longer_work_of(const Analysis& run, uint32_t rank,
                                         const std::vector<uint32_t>& named);

/// "rank 3 takes 12.0 ms after the call in … where others take …".
std::string text_of(const Analysis& run, const LongerWork& work, Symbols* symbols);

}  // namespace tutti::record::analysis
