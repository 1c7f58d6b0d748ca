#pragma once
// Text form of the report, printed at the end of a run: one line for each collective and size class.
//
//   tutti: Tutti served 199 of 260 calls
//   tutti: 8 ranks on 4 nodes, 1.23 s (rank 0); nonblocking collectives: off
//   tutti: bcast 512K-1M: 200 calls, 0.57 s; Tutti served 199 (mostly chain): native 3010 µs a call, now 2810; trials
//   tutti:   cost 1.8 % of the run
//
// The time of a call is the mean over the row's call sites, weighted by their number of calls.

#include <cstdint>
#include <span>
#include <string>

#include "algorithm/request.hpp"
#include "collective/call_site_report.hpp"
#include "select/candidate.hpp"

namespace tutti::collective {

struct ReportHeader;
struct ReportLine;

/// `lines`: those with calls, sorted by collective, kind and size class. `passed_through`: calls on
/// communicators that Tutti does not serve. Every line ends with a new line and has at most k_summary_columns.
std::string summary_of(const ReportHeader& header, std::span<const ReportLine* const> lines,
                       std::span<const CallSiteReport> sites, uint64_t passed_through);
inline constexpr size_t k_summary_columns = 120;

/// The name of the call without MPI_: "bcast", "ibcast", "bcast_init".
std::string call_name(algorithm::Collective collective, select::CallInterface interface);

/// Smallest and largest size of a ReportLine::size_class.
uint64_t least_bytes_of(int size_class);
uint64_t most_bytes_of(int size_class);

}  // namespace tutti::collective
