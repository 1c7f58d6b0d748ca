#pragma once
// Maps return addresses of this process to loaded files and offsets in them.

#include <map>
#include <vector>

#include "record/rank_file.hpp"

namespace tutti::record {

/// Not thread-safe. Takes the dynamic linker's lock, and allocates.
class Modules {
 public:
  /// Index in places() of the call that returns to `address`; its place is the byte before that address.
  uint32_t number_of(const void* address);
  const std::vector<CodeLocation>& places() const { return places_; }

 private:
  std::map<const void*, uint32_t> numbers_;
  std::vector<CodeLocation> places_;
};

}  // namespace tutti::record
