#pragma once
// Rules files that the command is given, looked at before anything runs.

#include <string>

#include "base/status.hpp"

namespace tutti::command {

/// The absolute name of a file that rules can be merged into at the end of a run. Error: one line that says
/// why they could not: it is no rules file, or it cannot be written.
base::Result<std::string> learnable_file(const std::string& name);

}  // namespace tutti::command
