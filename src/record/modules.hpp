#pragma once
// Maps return addresses of this process to loaded files and offsets in them.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "record/rank_file.hpp"

namespace tutti::record {

/// Not thread-safe. Takes the dynamic linker's lock, and allocates.
class Modules {
 public:
  /// The file that the dynamic linker lists under the name `listed` is `file`, if the process's own program is not the
  /// one that is recorded (ranks as threads). Empty: it is.
  struct Program {
    std::string listed, file;
  };
  explicit Modules(Program program = {}) : program_(std::move(program)) {}

  /// Index in places() of the call that returns to `address`; its place is the byte before that address.
  uint32_t number_of(const void* address);
  const std::vector<CodeLocation>& places() const { return places_; }

 private:
  CodeLocation place_of(const void* address) const;

  const Program program_;
  std::map<const void*, uint32_t> numbers_;
  std::vector<CodeLocation> places_;
};

}  // namespace tutti::record
