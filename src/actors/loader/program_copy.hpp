#pragma once
// A program's file, changed so that the dynamic loader takes it for a library. glibc knows programs by DF_1_PIE alone.

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
      first_libraries;  // file names; before all others, so that their symbols are found first
  std::map<std::string, std::string> libraries;  // name -> file name to load in its place
};

/// A memory file, which all ranks of the program load: what none of them writes is there once. Any thread.
class ProgramCopy {
 public:
  /// Has what is loaded of the program. What is added lies behind that, in the place of a note. Errors: not_supported,
  /// for a program whose segments leave no room; system.
  static base::Result<ProgramCopy> make(const ProgramImage& image, const CopyChanges& changes);
  ~ProgramCopy();
  ProgramCopy(ProgramCopy&& other) noexcept;
  ProgramCopy& operator=(ProgramCopy&&) = delete;

  /// As the process's first thread has it, which other threads can open.
  std::string file_name() const { return "/proc/self/fd/" + std::to_string(file_); }
  /// As of ProgramImage.
  uint64_t entry() const { return entry_; }
  /// The whole path of what has been copied.
  const std::string& origin() const { return origin_; }

 private:
  ProgramCopy(int file, uint64_t entry, std::string origin)
      : file_(file), entry_(entry), origin_(std::move(origin)) {}
  int file_;
  uint64_t entry_;
  std::string origin_;
};

}  // namespace tutti::actors
