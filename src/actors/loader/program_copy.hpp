#pragma once
// A copy of a program's file, changed so that the dynamic loader accepts it as a library. glibc recognises
// programs only by DF_1_PIE.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "actors/loader/program_image.hpp"
#include "base/status.hpp"

namespace tutti::actors {

struct CopyChanges {
  std::vector<std::string>
      first_libraries;  // file names; loaded before all others, so that their symbols are found first
  std::map<std::string, std::string> libraries;  // name -> replacement file name
};

/// A memory file that all ranks of the program load: pages that no rank writes exist once. Any thread.
class ProgramCopy {
 public:
  /// Contains the loadable part of the program. Added data follow it, in a segment that replaces a note.
  /// Errors: not_supported for a program without a suitable note; system.
  static base::Result<ProgramCopy> make(const ProgramImage& image, const CopyChanges& changes);
  ~ProgramCopy();
  ProgramCopy(ProgramCopy&& other) noexcept;
  ProgramCopy& operator=(ProgramCopy&&) = delete;

  /// A path in /proc that other threads can open too, referring to the first thread's file descriptor.
  std::string file_name() const { return "/proc/self/fd/" + std::to_string(file_); }
  /// See ProgramImage::entry().
  uint64_t entry() const { return entry_; }
  /// Absolute path of the original file.
  const std::string& origin() const { return origin_; }

 private:
  ProgramCopy(int file, uint64_t entry, std::string origin)
      : file_(file), entry_(entry), origin_(std::move(origin)) {}
  int file_;
  uint64_t entry_;
  std::string origin_;
};

}  // namespace tutti::actors
