#pragma once
// Formats the report of a run (schema: src/collective/report.hpp) as text.

#include <string>
#include <string_view>

#include "base/status.hpp"

namespace tutti::command {

/// The table that `tutti explain` prints. Error: invalid_argument, why the text is not a report.
base::Result<std::string> format_report(std::string_view json_text);

}  // namespace tutti::command
