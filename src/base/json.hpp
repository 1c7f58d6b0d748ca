#pragma once
// JSON that people write: rules, parameters, reports.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/status.hpp"

namespace tutti::base {

/// Those of C++.
enum class JsonComments : bool { refused, permitted };

/// The document. Time and memory are linear in the text. Error: invalid_argument,
/// beginning with line and column: no JSON, or an object with the same key twice (JSON permits that and keeps
/// the last, but here it is a slip).
Result<nlohmann::json> parse_json(std::string_view text, JsonComments comments = JsonComments::refused);

/// Why reading a value of a parsed document failed, without nlohmann's own numbers.
std::string sentence_of(const nlohmann::json::exception& error);

}  // namespace tutti::base
