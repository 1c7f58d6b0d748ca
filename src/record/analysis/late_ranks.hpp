#pragma once
// Finds the ranks that are late, and the pattern: always, now and then, as a machine, or by turns.

#include <algorithm>
#include <cstdint>
#include <optional>

#include "record/analysis/verdicts.hpp"

namespace tutti::record::analysis {

/// Share of the whole, at most 1: estimates from samples may exceed the whole.
inline double part(uint64_t of, uint64_t whole) {
  return whole == 0 ? 0 : std::min(static_cast<double>(of) / static_cast<double>(whole), 1.0);
}

/// Input of a verdict.
struct Evidence {
  const Analysis& run;
  const Analysis* against;
  Symbols* symbols;

  double share(uint64_t ns) const { return part(ns, run.rank_ns); }
};

/// Returns nullopt if ranks wait too little for others.
std::optional<Verdict> lateness(const Evidence& evidence);

}  // namespace tutti::record::analysis
