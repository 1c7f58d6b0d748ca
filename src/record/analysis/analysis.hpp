#pragma once
// All that a recorded run says, in numbers.

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

/// The most that a rank has waited for the work of another at once, and in which call of the other's.
struct LongestDelay {
  uint64_t ns = 0;
  bool is_for_message = false;  // the rest is unknown then
  algorithm::Collective collective = algorithm::Collective::barrier;
  uint32_t place = 0, sequence = 0;
};

struct RankSums {
  bool has_file = false;
  uint32_t node = 0;        // in Analysis::nodes
  uint64_t elapsed_ns = 0;  // of which there are records
  uint64_t waiting_ns = 0, transfer_ns = 0, hidden_ns = 0, caused_ns = 0, late_calls = 0;
  double caused_squares = 0;  // of the parts of caused_ns that come of one call each
  LongestDelay longest;       // of those that it has caused
  uint64_t gap_ns = 0, typical_gap_ns = 0, best_gap_ns = 0;
  uint64_t worked_ns = 0;  // outside of calls that are recorded, up to the last one
  /// What others are to blame for in each of its waits for messages, and the sum of squares.
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
  std::vector<NodeSums> nodes;  // whose ranks left files
  Timeline timeline;
  std::vector<WaitedCall> worst_calls;
  uint64_t calls_not_kept = 0;
  int64_t began_ns = 0;      // the run, by the common clock
  uint64_t elapsed_ns = 0;   // of the run
  uint64_t recorded_ns = 0;  // of that: of which there are records
  uint64_t rank_ns = 0;      // of all ranks that left a file, together, of which there are records
  uint64_t dropped = 0;      // records, of all ranks
  uint64_t waiting_ns = 0, transfer_ns = 0, hidden_ns = 0, unjudged_calls = 0;
  /// Of both, waiting apart: for messages of other ranks, by the call.
  std::array<uint64_t, std::size(k_message_calls)> message_ns{}, message_waiting_ns{};
  /// In calls of MPI of which nobody knows for whom they wait, and whether they do; by the name of the call.
  std::map<std::string, uint64_t> unknown_ns;
  uint64_t caused_ns = 0;        // of the waiting: what ranks are to blame for
  uint64_t typical_work_ns = 0;  // RankSums::worked_ns of a typical rank
  double caused_squares = 0;     // of the parts of caused_ns that come of one call each
  uint64_t clock_error_ns = 0;   // the largest; k_unknown_ns: unknown
  std::vector<int64_t> ends_ns;  // of each rank, on the common clock; where there is no file, INT64_MIN
  int64_t last_progress_ns = INT64_MIN;  // a call ended, by the common clock

  /// An estimate: each rank had waited for no other one's work, as if the same work were spread evenly. All ranks take
  /// the same time: what they waited for work that others had more of, less of their mean.
  uint64_t without_lateness_ns() const;
  /// One of so many calls of each communicator is recorded.
  uint32_t sampled_every() const { return run.first().description.sampled_every; }
};

/// `kept_records`: calls with most waiting are kept whole, as many as have so many records of ranks together.
/// Error: as open_run().
base::Result<Analysis> analyse(const std::string& folder, uint64_t kept_records = 0);

}  // namespace tutti::record::analysis
