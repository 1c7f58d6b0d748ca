#pragma once
// Skips records with impossible values: a file may be damaged although its length is right.

#include <cstdint>
#include <map>
#include <vector>

#include "record/run_files.hpp"

namespace tutti::record::analysis {

/// The records of one rank in the order of its file, without impossible ones.
class CheckedRecords {
 public:
  explicit CheckedRecords(const RankOfRun& rank);

  bool next(CallRecord* record);
  /// Number of records that were skipped.
  uint64_t impossible() const { return impossible_; }

 private:
  /// The calls of one communicator or persistent request, which the file has in their order.
  struct Track {
    uint32_t sequence = 0;
    uint64_t arrival_ns = 0;
    bool has_any = false;
    bool comes_before(const CallRecord& record) const {
      return !has_any || (sequence < record.sequence && arrival_ns <= record.arrival_ns);
    }
  };

  bool is_possible(const CallRecord& record) const;
  bool is_message(const CallRecord& record) const;
  bool is_in_order(const CallRecord& record);
  bool overlaps(const CallRecord& record, const CallRecord& later) const;
  bool read(CallRecord* record);

  const RankOfRun* rank_;
  RecordReader reader_;
  std::vector<uint32_t> track_of_row_;
  /// The last record of each track, and one that did not fit after it: if the next record fits after that one, it was
  /// right.
  std::vector<Track> last_, doubtful_;
  CallRecord ahead_;
  bool has_ahead_ = false;
  uint64_t impossible_ = 0;
};

}  // namespace tutti::record::analysis
