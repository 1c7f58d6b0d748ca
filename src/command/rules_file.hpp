#pragma once
// Checks rules files given to the command before anything runs.

#include <string>

#include "base/status.hpp"

namespace tutti::command {

/// The absolute name of a file into which rules can be merged at the end of a run. Error: one line with the reason why
/// not: it is not a rules file, or it cannot be written.
base::Result<std::string> learnable_file(const std::string& name);

}  // namespace tutti::command
