#pragma once
// The report that a run leaves behind (its schema: src/dispatch/report.hpp), as people read it.

#include <string>
#include <string_view>

#include "base/status.hpp"

namespace tutti::command {

/// The table that `tutti explain` prints. Error: invalid_argument, how the text is not a report.
base::Result<std::string> format_report(std::string_view json_text);

}  // namespace tutti::command
