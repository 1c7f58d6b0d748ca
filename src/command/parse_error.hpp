#pragma once
// Error messages for invalid command lines.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace tutti::command {

/// " (did you mean --rules?)", or empty.
inline std::string nearest_option(const CLI::App& app, std::string_view word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  const std::vector<std::string_view> views(names.begin(), names.end());
  return base::did_you_mean(word.substr(0, word.find('=')), views);
}

/// One sentence about the words of `app`. Unknown words come first, because a misspelt option often causes the error
/// that a required one is missing.
inline std::string sentence_of(const CLI::App& app, const CLI::ParseError& error) {
  // Words after "--" are stored in the parent command.
  std::vector<std::string> unknown = app.remaining();
  for (const CLI::App* at = app.get_parent(); at != nullptr && unknown.empty(); at = at->get_parent())
    unknown = at->remaining();
  for (const std::string& word : unknown)
    if (word.starts_with('-') && word.size() > 1)
      return fmt::format("unknown option {}{}", base::in_quotes(word), nearest_option(app, word));
  if (unknown.empty()) return error.what();
  return fmt::format("unexpected argument{}: {}", unknown.size() > 1 ? "s" : "", fmt::join(unknown, " "));
}

}  // namespace tutti::command
