#pragma once
// The file of a rank while its run goes on: what is there when the process ends without a word is not lost.
//
//   the ring                        ring.hpp
//   the description, line by line   JSON objects with one name each, as it becomes known: "description" once,
//                                   "communicator", "place" and "row" in the order of their numbers

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/status.hpp"
#include "record/rank_file.hpp"

namespace tutti::record {

/// Any thread. As long as the process lives, its lock on the file says so to readers (is_written()).
class LiveFile {
 public:
  /// Makes the file; what has had the name is gone. Error: system.
  static base::Result<std::unique_ptr<LiveFile>> make(const std::string& name);
  ~LiveFile();
  LiveFile(const LiveFile&) = delete;
  LiveFile& operator=(const LiveFile&) = delete;

  /// Memory that is the file's beginning; nullptr: there is none. Writing to it where nothing has been set aside may
  /// end the process.
  void* map(uint64_t bytes);
  /// The file system has room for that part from here on; false: it may have none.
  bool set_aside(uint64_t from, uint64_t bytes);
  /// The lines come after so many bytes.
  void begin_lines(uint64_t at, const RankDescription& description);
  void add(const CommunicatorDescription& communicator) { add_line(line_of(communicator)); }
  void add(const Place& place) { add_line(line_of(place)); }
  void add(const Row& row) { add_line(line_of(row)); }

  /// The whole file of the rank has taken its place.
  void remove();

 private:
  LiveFile(int fd, std::string name);
  bool has_file() const;
  void add_line(const std::string& line);

  const int fd_;
  const std::string name_;
  uint64_t device_ = 0, inode_ = 0;
  std::mutex mutex_;
  uint64_t end_ = 0;  // 0: no lines are written
};

/// The process that has made the file still lives.
bool is_written(const std::string& live_file_name);

}  // namespace tutti::record
