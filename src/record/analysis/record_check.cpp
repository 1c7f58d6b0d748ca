#include "record/analysis/record_check.hpp"

#include <utility>

namespace tutti::record::analysis {

namespace {

/// Tolerance: calls may end while the file is being written.
constexpr uint64_t k_slack_ns = 1'000'000'000;

uint64_t known_part(uint64_t ns) {
  return ns == k_unknown_ns ? 0 : ns;
}

}  // namespace

CheckedRecords::CheckedRecords(const RankOfRun& rank) : rank_(&rank), reader_(rank.reader()) {
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> numbers;
  for (const Row& row : rank.description.rows)
    track_of_row_.push_back(
        numbers.try_emplace({row.communicator, row.stream}, static_cast<uint32_t>(numbers.size()))
            .first->second);
  last_.resize(numbers.size());
  doubtful_.resize(numbers.size());
  has_ahead_ = read(&ahead_);
}

bool CheckedRecords::next(CallRecord* record) {
  while (has_ahead_) {
    *record = ahead_;
    has_ahead_ = read(&ahead_);
    if (!has_ahead_ || !overlaps(*record, ahead_)) return true;
    ++impossible_;
  }
  return false;
}

bool CheckedRecords::read(CallRecord* record) {
  while (reader_.next(record)) {
    // Rejected calls, and calls that began while the process ended.
    if (rank_->is_live && (record->row == k_void_row || record->arrival_ns == 0)) continue;
    if (is_possible(*record) && is_in_order(*record)) return true;
    ++impossible_;
  }
  return false;
}

bool CheckedRecords::is_possible(const CallRecord& record) const {
  const RankDescription& says = rank_->description;
  if (record.row >= says.rows.size()) return false;
  const std::vector<uint32_t>& members = says.communicators[says.rows[record.row].communicator].members;
  if (record.root != k_no_root && record.root >= members.size()) return false;
  const uint64_t latest_ns = says.ended_ns + k_slack_ns;
  if (record.arrival_ns < says.began_ns || record.arrival_ns > latest_ns) return false;
  const uint64_t most_ns = latest_ns - record.arrival_ns;
  return known_part(record.inside_ns) <= most_ns && known_part(record.whole_ns) <= most_ns;
}

bool CheckedRecords::is_message(const CallRecord& record) const {
  return rank_->description.rows[record.row].message != MessageCall::none;
}

/// Records of messages are in no particular order.
bool CheckedRecords::is_in_order(const CallRecord& record) {
  if (is_message(record)) return true;
  const uint32_t track = track_of_row_[record.row];
  const Track here{.sequence = record.sequence, .arrival_ns = record.arrival_ns, .has_any = true};
  const bool fits = last_[track].comes_before(record) ||
                    (doubtful_[track].has_any && doubtful_[track].comes_before(record));
  (fits ? last_ : doubtful_)[track] = here;
  if (fits) doubtful_[track].has_any = false;
  return fits;
}

/// Impossible for blocking calls: each ends before the next one on its communicator begins.
bool CheckedRecords::overlaps(const CallRecord& record, const CallRecord& later) const {
  const std::vector<Row>& rows = rank_->description.rows;
  return track_of_row_[record.row] == track_of_row_[later.row] && !is_message(record) && !is_message(later) &&
         rows[record.row].interface == select::CallInterface::blocking &&
         record.arrival_ns + known_part(record.inside_ns) > later.arrival_ns;
}

}  // namespace tutti::record::analysis
