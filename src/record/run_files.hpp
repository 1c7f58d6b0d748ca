#pragma once
// The folder of a recorded run.

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "record/rank_file.hpp"

namespace tutti::record {

/// Where records are in a file: the oldest is number `first` of a ring of `capacity`.
struct RecordsInFile {
  uint64_t at = 0;  // bytes
  uint64_t records = 0;
  uint64_t first = 0, capacity = UINT64_MAX;
};

/// The records of one rank, one after the other; holds a small part of the file at a time, and no descriptor between
/// parts. One thread's business.
class RecordReader {
 public:
  /// `more`: what comes behind those of the file.
  RecordReader(std::string file_name, const RecordsInFile& where, std::vector<PackedRecord> more = {})
      : file_name_(std::move(file_name)), where_(where), more_(std::move(more)) {}

  /// False at the end, also where the file is shorter than it should be.
  bool next(CallRecord* record);

 private:
  bool refill();

  std::string file_name_;
  RecordsInFile where_;  // what has not been read
  std::vector<PackedRecord> part_, more_;
  size_t next_ = 0;
};

struct RankOfRun {
  RankDescription description;
  std::string file_name;
  RecordsInFile where;
  /// The file of a run that goes on, or whose process has ended without a word: when it ended is not known, and
  /// description.ended_ns is the latest moment of which this rank or another one knows.
  bool is_live = false;
  bool is_running = false;
  std::vector<PackedRecord> open;  // of a live file: calls in which threads were (Ring::open())

  RecordReader reader() const { return {file_name, where, open}; }
};

/// How the launcher ended, where it ran under `tutti run`.
struct LauncherEnd {
  int exit_status = 0, signal = 0;  // one of them
  int interruption = 0;             // the signal that asked it to end; 0: none
  std::string host;
  uint64_t at_ns = 0;   // by this host's clock
  uint64_t ran_ns = 0;  // since it began; 0: not known
  int64_t at_unix_s = 0;
};
/// Into the folder of the run. Error: system.
base::Status write_launcher_end(const std::string& folder, const LauncherEnd& end);

struct RunFiles {
  uint32_t ranks = 0;                // of the job
  std::vector<RankOfRun> found;      // in the order of their ranks
  std::vector<std::string> missing;  // what is not there or cannot be read, a line each
  std::optional<LauncherEnd> launcher;

  const RankOfRun& first() const { return found.front(); }
  /// Its clock is the common one: it is on the machine of rank 0, or, where that left no file, of the first that did.
  bool has_common_clock(const RankOfRun& rank) const {
    return rank.description.machine == first().description.machine;
  }
};

/// After the end of the launcher: removes what its processes had begun to write and did not put in its place. What that
/// would have held is in their live files.
void remove_half_written(const std::string& folder);

/// The folder holds what a recorded run has left, or leaves.
bool has_record(const std::string& folder);

/// Reads the descriptions of all files of the folder. Files that are broken, or of another run than the newest one,
/// are named in `missing`. Errors: not_found, system; there is no file that can be read.
base::Result<RunFiles> open_run(const std::string& folder);

}  // namespace tutti::record
