#pragma once
// A program's file, changed so that the dynamic loader takes it for a library. glibc knows programs by DF_1_PIE alone.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "actors/loader/program_image.hpp"
#include "base/status.hpp"

namespace tutti::actors {

struct CopyChanges {
  std::vector<std::string>
      first_libraries;  // file names; before all others, so that their symbols are found first
  std::map<std::string, std::string> libraries;  // name -> file name to load in its place
  uint64_t host = 0;                             // address of the rank's GuestHost
};

/// An open memory file with the copy; the caller closes it once it is loaded. What is added lies behind the program, in
/// the place of a note. Errors: not_supported, for a program whose segments leave no room; system.
base::Result<int> make_copy(const ProgramImage& image, const CopyChanges& changes);

}  // namespace tutti::actors
