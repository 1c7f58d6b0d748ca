#pragma once
// Tutti's messages on the standard error of the program's process.

#include <string_view>

namespace tutti::base {

/// Remembers the file of descriptor 2. The program may later close the descriptor, so that another file gets its
/// number, or redirect it; then messages are dropped.
void remember_standard_error();

/// Writes the text with write() if descriptor 2 is the remembered file, or if none was remembered. Does not use stdio,
/// which the program may have closed. Any thread.
void write_to_standard_error(std::string_view text);

/// The same for one line, with the prefix "tutti: ".
void log(std::string_view line);

}  // namespace tutti::base
