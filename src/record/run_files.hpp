#pragma once
// Reads the folder of a recorded run.

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "record/rank_file.hpp"

namespace tutti::record {

/// Position of the records in a file: the oldest is number `first` of a ring of `capacity` records.
struct RecordsInFile {
  uint64_t at = 0;  // byte offset of the ring
  uint64_t records = 0;
  uint64_t first = 0, capacity = UINT64_MAX;
};

/// Reads the records of one rank in order. Buffers a small part of the file, and keeps no descriptor open between
/// parts. Not thread-safe.
class RecordReader {
 public:
  /// `more`: records to return after those of the file.
  RecordReader(std::string file_name, const RecordsInFile& where, std::vector<PackedRecord> more = {})
      : file_name_(std::move(file_name)), where_(where), more_(std::move(more)) {}

  /// Returns false at the end, also if the file is shorter than described.
  bool next(CallRecord* record);

 private:
  bool refill();

  std::string file_name_;
  RecordsInFile where_;  // what has not been read yet
  std::vector<PackedRecord> part_, more_;
  size_t next_ = 0;
};

/// RankDescription::ended_by of a rank that finalized, and the call in the rows of finalize_waits.hpp.
inline constexpr std::string_view k_finalize = "MPI_Finalize";

struct RankOfRun {
  RankDescription description;
  std::string file_name;
  RecordsInFile where;
  /// The file is a live one: the run goes on, or the process ended without writing its final file. The end of the
  /// process is not known; description.ended_ns is the latest time that is known of any rank.
  bool is_live = false;
  bool is_running = false;
  /// Records that are not in the ring. Live files: calls that threads were in (Ring::open()); final files: the wait in
  /// MPI_Finalize (finalize_waits.hpp).
  std::vector<PackedRecord> open;

  RecordReader reader() const { return {file_name, where, open}; }
  bool is_finalized() const { return !is_live && description.ended_by == k_finalize; }
};

/// How the launcher ended, if it ran under `tutti run`.
struct LauncherEnd {
  int exit_status = 0, signal = 0;  // one of them is set
  int interruption = 0;             // the signal that asked it to end; 0: none
  std::string host;
  uint64_t at_ns = 0;   // by this host's clock
  uint64_t ran_ns = 0;  // run time of the launcher; 0: not known
  int64_t at_unix_s = 0;
};
/// Writes the file into the folder of the run. Error: system.
base::Status write_launcher_end(const std::string& folder, const LauncherEnd& end);

struct RunFiles {
  uint32_t ranks = 0;                // of the job
  std::vector<RankOfRun> found;      // in the order of their ranks
  std::vector<std::string> missing;  // missing or unreadable files, one line each
  std::optional<LauncherEnd> launcher;

  const RankOfRun& first() const { return found.front(); }
  /// Whether the rank's clock is the common one: that of rank 0's machine, or, if rank 0 left no file, of the machine
  /// of the first rank that did.
  bool has_common_clock(const RankOfRun& rank) const {
    return rank.description.machine == first().description.machine;
  }
};

/// Call after the end of the launcher. Removes final files that processes had begun to write and not renamed; their
/// records are also in the live files.
void remove_half_written(const std::string& folder);

/// Whether the folder contains files of a recorded run, ended or not.
bool has_record(const std::string& folder);

/// Reads the descriptions of all files of the folder. Damaged files, and files of another run than the newest one, are
/// listed in `missing`. Error: not_found, the folder or a file that can be read.
base::Result<RunFiles> open_run(const std::string& folder);

}  // namespace tutti::record
