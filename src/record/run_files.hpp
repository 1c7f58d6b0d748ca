#pragma once
// The folder of a recorded run.

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "record/rank_file.hpp"

namespace tutti::record {

/// The records of one rank, one after the other; holds a small part of the file at a time, and no descriptor between
/// parts. One thread's business.
class RecordReader {
 public:
  RecordReader(std::string file_name, uint64_t records_at, uint64_t records)
      : file_name_(std::move(file_name)), at_(records_at), left_(records) {}

  /// False at the end, also where the file is shorter than it should be.
  bool next(CallRecord* record);

 private:
  bool refill();

  std::string file_name_;
  uint64_t at_, left_;
  std::vector<PackedRecord> part_;
  size_t next_ = 0;
};

struct RankOfRun {
  RankDescription description;
  std::string file_name;
  uint64_t records_at = 0;
  uint64_t records = 0;  // that are there

  RecordReader reader() const { return {file_name, records_at, records}; }
};

struct RunFiles {
  uint32_t ranks = 0;                // of the job
  std::vector<RankOfRun> found;      // in the order of their ranks
  std::vector<std::string> missing;  // what is not there or cannot be read, a line each

  const RankOfRun& first() const { return found.front(); }
  /// Its clock is the common one: it is on the machine of rank 0, or, where that left no file, of the first that did.
  bool has_common_clock(const RankOfRun& rank) const {
    return rank.description.machine == first().description.machine;
  }
};

/// Reads the descriptions of all files of the folder. Files that are broken, or of another run than the newest one,
/// are named in `missing`. Errors: not_found, system; there is no file that can be read.
base::Result<RunFiles> open_run(const std::string& folder);

}  // namespace tutti::record
