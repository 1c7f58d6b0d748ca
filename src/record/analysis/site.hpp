#pragma once
// Statistics of one call site: a code location, a collective, a communicator and a size class.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "record/analysis/call_instance.hpp"
#include "record/analysis/lateness.hpp"
#include "record/analysis/log_histogram.hpp"
#include "record/analysis/trend.hpp"

namespace tutti::record::analysis {

struct SiteKey {
  uint32_t place = 0;  // of the lowest rank in the call
  uint32_t group = 0;
  algorithm::Collective collective = algorithm::Collective::barrier;
  select::CallInterface interface = select::CallInterface::blocking;
  int size_class = 0;  // bit width of the number of bytes
  auto operator<=>(const SiteKey&) const = default;
};

/// Mean lateness by rank and call. Neighbouring ranks share a row, and neighbouring calls a column, if there are many.
class HeatMap {
 public:
  static constexpr size_t k_most_rows = 256, k_most_columns = 64;

  explicit HeatMap(size_t ranks);
  void add(const CallInstance& call, const Lateness& lateness);

  size_t rows() const { return rows_; }
  size_t ranks_per_row() const { return ranks_per_row_; }
  size_t columns() const { return (calls_ + calls_per_column_ - 1) / calls_per_column_; }
  uint64_t calls() const { return calls_; }
  uint64_t calls_per_column() const { return calls_per_column_; }
  uint64_t at(size_t row, size_t column) const;

 private:
  void make_room();

  size_t ranks_, ranks_per_row_, rows_;
  uint64_t calls_ = 0, calls_per_column_ = 1;
  std::vector<float> sums_;       // [column][row]
  std::vector<uint32_t> counts_;  // records of ranks per cell
};

/// Sums of one rank of the communicator over all calls.
struct MemberSums {
  uint64_t calls = 0;
  uint64_t last_calls = 0;  // calls in which it came last
  uint64_t late_ns = 0, most_late_ns = 0;
  uint64_t gaps = 0, gap_ns = 0, typical_gap_ns = 0;  // over calls for which both are known
  uint64_t window_gaps = 0, window_gap_ns = 0, best_window_ns = UINT64_MAX;  // means of k_window gaps
  static constexpr uint64_t k_window = 16;
  /// Time by which gaps exceeded the typical gaps of their calls, and the sum of its squares.
  double excess_ns = 0, excess_squares = 0;
};

struct ChoiceSums {  // of recorded calls
  uint64_t calls = 0;
  uint64_t waiting_ns = 0, transfer_ns = 0;  // of all ranks
  LogHistogram transfer;                     // of the slowest rank
};

struct Site {
  explicit Site(const SiteKey& of, size_t ranks) : key(of), members(ranks) {}

  /// `blamed`: causes of the waiting in the call. The call stands for `weight` calls.
  void add(const CallInstance& call, const Lateness& lateness, const std::vector<Blame>& blamed,
           uint64_t weight);

  SiteKey key;
  uint64_t least_bytes = UINT64_MAX, most_bytes = 0;
  uint64_t calls = 0, judged_calls = 0;
  uint64_t waiting_ns = 0, transfer_ns = 0,
           hidden_ns = 0;  // over all ranks, scaled to all calls that the recorded ones stand for
  /// Calls before which a typical rank worked at least a quarter of its mean over the calls so far.
  uint64_t working_calls = 0;
  Trend blame;                    // time that ranks are to blame for, in each call
  double blame_squares = 0;       // sum of their squares
  LogHistogram spread, transfer;  // spread: of judged calls; transfer: of the slowest rank of each call
  std::vector<MemberSums> members;
  std::map<uint32_t, uint64_t> caused_ns;  // waiting at the site, by the rank of the run to blame
  std::map<uint32_t, ChoiceSums> choices;  // by number of the choice
  uint64_t typical_gaps = 0, typical_gap_ns = 0;
  std::map<uint32_t, uint64_t> places_before;  // of the ranks that came last: their previous code location
  struct WorstCall {
    uint64_t spread_ns = 0;
    uint32_t sequence = 0;
    std::vector<uint64_t> late_ns;
  } worst;
  std::optional<HeatMap> heat;
};

}  // namespace tutti::record::analysis
