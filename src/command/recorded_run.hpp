#pragma once
// A job under `tutti run --record`: when it has ended, one line says who was late.

#include <string>

#include "command/launcher.hpp"

namespace tutti::command {

/// Runs the line as a child and returns its exit status; ends by the signal that has ended the child. `folder`:
/// TUTTI_RECORD. `is_silent`: nothing is said.
int run_recorded(const Words& line, const std::string& folder, bool is_silent);

}  // namespace tutti::command
