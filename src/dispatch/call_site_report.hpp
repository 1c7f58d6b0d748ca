#pragma once
// What a report says of one call site: its candidates, what they cost, what was chosen and why.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "select/learned.hpp"
#include "select/tuner.hpp"

namespace tutti::dispatch {

class CallSite;

/// As JSON, in the report's "sites":
///   { "collective": "iallreduce", "kind": "nonblocking", "ranks": 8, "nodes": 4,
///     "bytes": 200000,                       of its first call; absent where only some ranks know it
///     "calls": 300, "elapsed_ns": 4200000, "loss_ns": 61000,
///     "choice": "ring:segment=16K", "reason": "0.52 of the time of native on the slowest rank, ...",
///     "is_exploring": false,
///     "candidates": [ { "candidate": "native", "trials": 12, "median_ns": 81000, "is_dropped": true } ],
///     "switches": [ { "call": 57, "from": "native", "to": "ring", "why": "faster", "ratio": 0.52,
///                     "trials": 8 } ],         why: "faster", "drift", or "arrivals": ranks came otherwise than before
///     "arrivals": { "are_late": true, "spread_ns": 5100000, "beyond_ns": 900000,   absent where nothing is known
///                   "last_rank": 3, "last_percent": 71 } }
/// Times are those of the slowest rank. median_ns is 0 where a candidate was not tried, and where ranks are late it is
/// the mean of what a call costs beyond the waiting that nobody can avoid. "arrivals" is about recent rounds of trials:
/// the first arrival to the last, what a call costs beyond the unavoidable, and who came last most often.
struct CallSiteReport {
  select::SiteShape shape;
  uint64_t calls = 0;
  uint64_t elapsed_ns = 0;  // from its first call to the last agreement
  uint64_t loss_ns = 0;     // that trials have cost
  std::string choice, reason;
  bool is_exploring = false;
  std::vector<select::CandidateReport> candidates;
  std::vector<select::Switch> switches;
  select::ArrivalProfile arrivals;
};

/// nullopt where CallSite::inspect() says no.
std::optional<CallSiteReport> report_of(const CallSite& site);

}  // namespace tutti::dispatch
