#pragma once
// Where addresses of this process are in the files that it was loaded from.

#include <map>
#include <vector>

#include "record/rank_file.hpp"

namespace tutti::record {

/// One thread's business. Takes the dynamic linker's lock, and memory.
class Modules {
 public:
  /// In places(): of the call that returns to `address`, which is the instruction before it.
  uint32_t number_of(const void* address);
  const std::vector<Place>& places() const { return places_; }

 private:
  std::map<const void*, uint32_t> numbers_;
  std::vector<Place> places_;
};

}  // namespace tutti::record
