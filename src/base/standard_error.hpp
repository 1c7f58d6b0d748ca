#pragma once
// What Tutti says on the process's standard error, which is the program's.

#include <string_view>

namespace tutti::base {

/// Descriptor 2 is the process's standard error now. Afterwards the program may close it and open a file of its own,
/// which gets that number, or lead it elsewhere: then there is no place for Tutti's lines.
void remember_standard_error();

/// Writes the text, with one call of the system, where descriptor 2 is the file that was remembered, if any was. Past
/// stdio: the program may have closed that, too. Any thread.
void write_to_standard_error(std::string_view text);

/// The same for one line: "tutti: " stands in front.
void say(std::string_view line);

}  // namespace tutti::base
