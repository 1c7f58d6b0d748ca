#pragma once
// Validators of option values, for the command and for the programs that it runs.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace tutti::command {

/// A number within these bounds, both inclusive. Unlike CLI::Range it rejects NaN.
inline CLI::Validator number_between(double least, double most) {
  const auto check = [least, most](std::string& text) -> std::string {
    double value = 0;
    if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most) return {};
    return fmt::format("{} is not a number between {} and {}", base::in_quotes(text), least, most);
  };
  return {check, fmt::format("FLOAT in [{} - {}]", least, most)};
}

/// One of these words. Unlike CLI::IsMember its error message names the nearest one.
inline CLI::Validator one_of(std::vector<std::string> words) {
  const std::string description = fmt::format("{{{}}}", fmt::join(words, ","));
  const auto check = [words = std::move(words)](const std::string& text) -> std::string {
    const std::vector<std::string_view> known(words.begin(), words.end());
    for (const std::string_view word : known)
      if (text == word) return {};
    return fmt::format("{} is none of {}{}", base::in_quotes(text), fmt::join(known, ", "),
                       base::did_you_mean(text, known));
  };
  return {check, description};
}

}  // namespace tutti::command
