#pragma once
// Report of one call site: its candidates, their costs, the choice and its reason.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "select/learned.hpp"
#include "select/tuner.hpp"

namespace tutti::collective {

class CallSite;

/// As JSON, in the report's "sites":
///   { "collective": "iallreduce", "kind": "nonblocking", "ranks": 8, "nodes": 4,
///     "bytes": 200000,                       of its first call; absent if only some ranks know it
///     "calls": 300, "elapsed_ns": 4200000, "loss_ns": 61000,
///     "choice": "ring:segment=16K", "reason": "0.52 of the time of native on the slowest rank, ...",
///     "is_exploring": false,
///     "candidates": [ { "candidate": "native", "trials": 12, "median_ns": 81000, "is_dropped": true } ],
///     "switches": [ { "call": 57, "from": "native", "to": "ring", "why": "faster", "ratio": 0.52,
///                     "trials": 8 } ],         why: "faster", "drift", or "arrivals": the arrival pattern changed
///     "arrivals": { "are_late": true, "spread_ns": 5100000, "beyond_ns": 900000,   absent if unknown
///                   "last_rank": 3, "last_percent": 71 } }
/// Times are those of the slowest rank. median_ns is 0 if a candidate was not tried; if ranks are late, it is the mean
/// cost of a call in excess of the unavoidable wait. "arrivals" covers recent rounds of trials: the time from the first
/// arrival to the last, the cost of a call in excess of the unavoidable wait, and the rank that was last most often.
struct CallSiteReport {
  select::SiteShape shape;
  uint64_t calls = 0;
  uint64_t elapsed_ns = 0;  // from its first call to the last agreement
  uint64_t loss_ns = 0;     // time lost by trials
  std::string choice, reason;
  bool is_exploring = false;
  std::vector<select::CandidateReport> candidates;
  std::vector<select::Switch> switches;
  select::ArrivalProfile arrivals;
};

/// nullopt if CallSite::inspect() fails.
std::optional<CallSiteReport> report_of(const CallSite& site);

}  // namespace tutti::collective
