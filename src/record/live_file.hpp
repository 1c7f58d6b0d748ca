#pragma once
// File of a rank during its run. If the process is killed or crashes, the file keeps what was recorded until then.
//
//   the ring                        ring.hpp
//   the description, line by line   JSON objects with one member each, appended as it becomes known: "description"
// once,
//                                   "communicator", "place" and "row" in the order of their numbers

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/status.hpp"
#include "record/rank_file.hpp"

namespace tutti::record {

/// Any thread. While the process lives it holds a lock on the file, which readers test (is_written()).
class LiveFile {
 public:
  /// Creates the file; an existing file of that name is removed. Error: system.
  static base::Result<std::unique_ptr<LiveFile>> make(const std::string& name);
  ~LiveFile();
  LiveFile(const LiveFile&) = delete;
  LiveFile& operator=(const LiveFile&) = delete;

  /// Maps the beginning of the file; nullptr: that failed. A write to a part that set_aside() has not reserved can kill
  /// the process (SIGBUS).
  void* map(uint64_t bytes);
  /// Reserves disk space for that part of the file. Returns false if there may be none.
  bool set_aside(uint64_t from, uint64_t bytes);
  /// Starts the lines at this offset of the file.
  void begin_lines(uint64_t at, const RankDescription& description);
  void add(const CommunicatorDescription& communicator) { add_line(line_of(communicator)); }
  void add(const CodeLocation& place) { add_line(line_of(place)); }
  void add(const Row& row) { add_line(line_of(row)); }

  /// Removes the file, once the final file of the rank has replaced it.
  void remove();

 private:
  LiveFile(int fd, std::string name);
  bool has_file() const;
  void add_line(const std::string& line);

  const int fd_;
  const std::string name_;
  uint64_t device_ = 0, inode_ = 0;
  std::mutex mutex_;
  uint64_t end_ = 0;  // offset of the next line; 0: no lines are written
};

/// Whether the process that created the file still lives.
bool is_written(const std::string& live_file_name);

}  // namespace tutti::record
