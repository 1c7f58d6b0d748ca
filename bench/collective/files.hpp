#pragma once
// Files that every benchmark program reads and writes besides its measurements.

#include <cstdint>
#include <string>

namespace tutti::bench {

/// The first line of what the MPI says about itself.
std::string library_version();

/// False, with one line on stderr, when the file cannot be written: asked before anything is measured. True
/// where no file is wanted.
bool can_save(const std::string& file_name);

/// The same after the attempt. The file is whole, or the old one.
bool save(const std::string& file_name, const std::string& text);

/// The program's exit status: 1, with one line on stderr, if its output could not be written.
int exit_status(int status);

}  // namespace tutti::bench
