#include "record/analysis/site.hpp"

#include <algorithm>

namespace tutti::record::analysis {

HeatMap::HeatMap(size_t ranks)
    : ranks_(ranks),
      ranks_per_row_((ranks + k_most_rows - 1) / k_most_rows),
      rows_((ranks + ranks_per_row_ - 1) / ranks_per_row_),
      sums_(rows_ * k_most_columns),
      counts_(rows_ * k_most_columns) {}

/// Merges pairs of columns.
void HeatMap::make_room() {
  for (size_t column = 0; column < k_most_columns; ++column)
    for (size_t row = 0; row < rows_; ++row) {
      const size_t from = column * rows_ + row, to = column / 2 * rows_ + row;
      const float sum = sums_[from];
      const uint32_t count = counts_[from];
      sums_[from] = 0;
      counts_[from] = 0;
      sums_[to] += sum;
      counts_[to] += count;
    }
  calls_per_column_ *= 2;
}

void HeatMap::add(const CallInstance& call, const Lateness& lateness) {
  if (calls_ == k_most_columns * calls_per_column_) make_room();
  const size_t column = calls_++ / calls_per_column_;
  for (size_t rank = 0; rank < ranks_; ++rank) {
    if (!call.calls[rank].is_present) continue;
    const size_t at = column * rows_ + rank / ranks_per_row_;
    sums_[at] += static_cast<float>(lateness.members[rank].late_ns);
    ++counts_[at];
  }
}

uint64_t HeatMap::at(size_t row, size_t column) const {
  const size_t i = column * rows_ + row;
  return counts_[i] == 0 ? 0 : static_cast<uint64_t>(sums_[i] / static_cast<float>(counts_[i]));
}

namespace {

void add_gap(MemberSums* sums, uint64_t gap_ns, uint64_t typical_ns) {
  ++sums->gaps;
  sums->gap_ns += gap_ns;
  sums->typical_gap_ns += typical_ns;
  const double excess_ns = gap_ns > typical_ns ? static_cast<double>(gap_ns - typical_ns) : 0;
  sums->excess_ns += excess_ns;
  sums->excess_squares += excess_ns * excess_ns;
  sums->window_gap_ns += gap_ns;
  if (++sums->window_gaps < MemberSums::k_window) return;
  sums->best_window_ns = std::min(sums->best_window_ns, sums->window_gap_ns / sums->window_gaps);
  sums->window_gaps = sums->window_gap_ns = 0;
}

}  // namespace

void Site::add(const CallInstance& call, const Lateness& lateness, const std::vector<Blame>& blamed,
               uint64_t weight) {
  ++calls;
  double blame_ns = 0;
  for (const Blame& one : blamed) {
    caused_ns[one.rank] += one.ns;
    blame_ns += static_cast<double>(one.ns);
  }
  blame.add(blame_ns);
  blame_squares += blame_ns * blame_ns;
  if (lateness.typical_gap_ns != k_unknown_ns) {
    ++typical_gaps;
    typical_gap_ns += lateness.typical_gap_ns;
    if (lateness.typical_gap_ns >= typical_gap_ns / typical_gaps / 4) ++working_calls;
  }
  least_bytes = std::min(least_bytes, call.bytes);
  most_bytes = std::max(most_bytes, call.bytes);
  uint64_t slowest_ns = 0;
  ChoiceSums& choice = choices[call.calls[lateness.last].choice];
  ++choice.calls;
  for (size_t rank = 0; rank < members.size(); ++rank) {
    const MemberCall& one = call.calls[rank];
    if (!one.is_present) continue;
    const MemberTimes& times = lateness.members[rank];
    MemberSums& sums = members[rank];
    ++sums.calls;
    sums.late_ns += times.late_ns;
    sums.most_late_ns = std::max(sums.most_late_ns, times.late_ns);
    if (one.gap_ns != k_unknown_ns) add_gap(&sums, one.gap_ns, lateness.typical_gap_ns);
    waiting_ns += times.waiting_ns * weight;
    transfer_ns += times.transfer_ns * weight;
    hidden_ns += times.hidden_ns * weight;
    choice.waiting_ns += times.waiting_ns;
    choice.transfer_ns += times.transfer_ns;
    slowest_ns = std::max(slowest_ns, times.transfer_ns + times.hidden_ns);
  }
  transfer.add(slowest_ns);
  choice.transfer.add(slowest_ns);
  if (heat) heat->add(call, lateness);
  if (!lateness.is_judged) return;
  ++judged_calls;
  spread.add(lateness.spread_ns);
  ++members[lateness.last].last_calls;
  ++places_before[call.calls[lateness.last].place_before];
  if (lateness.spread_ns <= worst.spread_ns) return;
  worst = {.spread_ns = lateness.spread_ns, .sequence = call.sequence, .late_ns = {}};
  for (const MemberTimes& times : lateness.members) worst.late_ns.push_back(times.late_ns);
}

}  // namespace tutti::record::analysis
