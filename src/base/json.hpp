#pragma once
// JSON written by users: rules, parameters, reports.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/status.hpp"

namespace tutti::base {

/// Comments in the syntax of C++.
enum class JsonComments : bool { refused, permitted };

/// Parses a document. Time and memory are linear in the text. Error: invalid_argument, beginning with line and column:
/// invalid JSON, or an object with a duplicate key (which JSON permits, but which is treated as a mistake here).
Result<nlohmann::json> parse_json(std::string_view text, JsonComments comments = JsonComments::refused);

/// Reason why reading a value of a parsed document failed, without nlohmann's error numbers.
std::string sentence_of(const nlohmann::json::exception& error);

}  // namespace tutti::base
