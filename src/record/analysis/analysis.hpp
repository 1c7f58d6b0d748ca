#pragma once
// Analysis of a recorded run: sums over ranks, nodes and call sites.

#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "record/analysis/assembler.hpp"
#include "record/analysis/scores.hpp"
#include "record/analysis/site.hpp"
#include "record/analysis/timeline.hpp"
#include "record/analysis/trend.hpp"
#include "record/analysis/worst_calls.hpp"
#include "record/run_files.hpp"

namespace tutti::record::analysis {

/// The longest time that one wait for another rank's work took, and the call of that other rank in which it occurred.
struct LongestDelay {
  uint64_t ns = 0;
  bool is_for_message = false;   // a wait for a message: the other fields are unknown
  bool is_for_finalize = false;  // the same for the wait in MPI_Finalize
  algorithm::Collective collective = algorithm::Collective::barrier;
  uint32_t place = 0, sequence = 0;
};

struct RankSums {
  bool has_file = false;
  uint32_t node = 0;        // index in Analysis::nodes
  uint64_t elapsed_ns = 0;  // time that the records cover
  uint64_t waiting_ns = 0, transfer_ns = 0, hidden_ns = 0, caused_ns = 0, late_calls = 0;
  double caused_squares = 0;  // sum over calls of the square of each call's part of caused_ns
  LongestDelay longest;       // the longest delay that this rank has caused
  uint64_t gap_ns = 0, typical_gap_ns = 0, best_gap_ns = 0;
  uint64_t worked_ns = 0;  // outside of recorded calls, up to the last one
  /// Time that other ranks are to blame for in each of this rank's waits for messages, and the sum of its squares.
  Trend message_blame;
  double message_blame_squares = 0;
  uint64_t dropped = 0;

  Scores scores() const { return scores_of({elapsed_ns, waiting_ns, gap_ns, typical_gap_ns, best_gap_ns}); }
};

struct NodeSums {
  uint32_t number = 0;
  std::string host;
  uint32_t ranks = 0;
  uint64_t elapsed_ns = 0, waiting_ns = 0, transfer_ns = 0, caused_ns = 0, clock_error_ns = 0;
  uint64_t gap_ns = 0, typical_gap_ns = 0, best_gap_ns = 0;

  Scores scores() const { return scores_of({elapsed_ns, waiting_ns, gap_ns, typical_gap_ns, best_gap_ns}); }
};

struct Analysis {
  RunFiles run;
  RunTables tables;
  Assembled assembled;
  std::vector<Site> sites;  // most waiting first, then most transfer
  std::vector<RankSums> ranks;
  std::vector<NodeSums> nodes;  // those with ranks that left files
  Timeline timeline;
  std::vector<WaitedCall> worst_calls;
  uint64_t calls_not_kept = 0;
  int64_t began_ns = 0;      // begin of the run, on the common clock
  uint64_t elapsed_ns = 0;   // of the run
  uint64_t recorded_ns = 0;  // part of elapsed_ns that the records cover
  uint64_t rank_ns = 0;      // recorded time, summed over all ranks that left a file
  uint64_t dropped = 0;      // records lost, over all ranks
  uint64_t waiting_ns = 0, transfer_ns = 0, hidden_ns = 0, unjudged_calls = 0;
  /// Time in waits for messages of other ranks, by kind of call, and the waiting in it.
  std::array<uint64_t, std::size(k_message_calls)> message_ns{}, message_waiting_ns{};
  /// Time in MPI calls for which it is unknown whether they wait, and for which rank; by the name of the call.
  std::map<std::string, uint64_t> unknown_ns;
  double finalize_blame_ns = 0;          // the part of caused_ns in MPI_Finalize
  uint64_t caused_ns = 0;                // part of the waiting that ranks are to blame for
  uint64_t typical_work_ns = 0;          // median of RankSums::worked_ns
  double caused_squares = 0;             // sum over calls of the square of each call's part of caused_ns
  uint64_t clock_error_ns = 0;           // the largest of all nodes; k_unknown_ns: unknown
  std::vector<int64_t> ends_ns;          // end of each rank, on the common clock; INT64_MIN: no file
  int64_t last_progress_ns = INT64_MIN;  // latest end of a call, on the common clock

  /// Estimated run time if the same work were spread evenly, so that no rank waits for the work of another. All ranks
  /// then take the same time: the mean of what they take until MPI_Finalize, minus the mean of the waiting that ranks
  /// are to blame for. Ranks that end early wait in MPI_Finalize for the others.
  uint64_t without_lateness_ns() const;
  /// One call in this number of calls of each communicator is recorded.
  uint32_t sampled_every() const { return run.first().description.sampled_every; }
};

/// `kept_records`: keeps the calls with most waiting completely, until they have that many records of ranks together.
/// Error: as open_run().
base::Result<Analysis> analyse(const std::string& folder, uint64_t kept_records = 0);

}  // namespace tutti::record::analysis
