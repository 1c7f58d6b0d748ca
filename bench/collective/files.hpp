#pragma once
// What every benchmark program reads and writes besides its measurements.

#include <cstdint>
#include <string>

namespace tutti::bench {

/// The first line of what the MPI says about itself.
std::string library_version();

/// False, with one line on stderr, when the file cannot be written.
bool save(const std::string& file_name, const std::string& text);

}  // namespace tutti::bench
