#pragma once
// Which ranks are late, and how: always, now and then, as a machine, or by turns.

#include <algorithm>
#include <cstdint>
#include <optional>

#include "record/analysis/verdicts.hpp"

namespace tutti::record::analysis {

/// Estimates from samples may be more than the whole.
inline double part(uint64_t of, uint64_t whole) {
  return whole == 0 ? 0 : std::min(static_cast<double>(of) / static_cast<double>(whole), 1.0);
}

/// Everything that a verdict is made from.
struct Evidence {
  const Analysis& run;
  const Analysis* against;
  Symbols* symbols;

  double share(uint64_t ns) const { return part(ns, run.rank_ns); }
};

/// nullopt: ranks wait too little for others.
std::optional<Verdict> lateness(const Evidence& evidence);

}  // namespace tutti::record::analysis
