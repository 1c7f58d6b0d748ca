// Command-line options of the sample programs.
//
// Every program takes `--name value` pairs, flags, and the flag `--no-verify`. All ranks parse the same
// arguments and reach the same result, so rank 0 alone prints the one line about an error, and no
// communication is needed to agree on the exit.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>

namespace apps {

// One option: its name without the dashes, its meaning, and the variable that it sets. An integer or real
// must lie in [least, most]; a string may be anything; a flag has no value.
struct Option {
  std::string_view name;
  std::string_view meaning;
  std::variant<std::int64_t*, double*, std::string*, bool*> target;
  double least = 0;
  double most = 0;
};

enum class ParseOutcome { run, show_help, mistake };

class OptionParser {
 public:
  OptionParser(std::string_view program, std::span<const Option> options)
      : program_(program), options_(options) {}

  ParseOutcome parse(std::span<char* const> words) {
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string_view word = words[i];
      if (word == "--help") return ParseOutcome::show_help;
      if (word == "--no-verify") {
        verify_ = false;
        continue;
      }
      const Option* option = find(word);
      if (option == nullptr) return fail("unknown option '" + std::string(word) + "'");
      if (bool* const* const flag = std::get_if<bool*>(&option->target)) {
        **flag = true;
        continue;
      }
      if (++i == words.size()) return fail("option '" + std::string(word) + "' needs a value");
      if (!store(*option, words[i])) return fail(range_message(*option, words[i]));
    }
    return ParseOutcome::run;
  }

  bool verify() const { return verify_; }

  // One line with the error and its correction; empty unless parse() found an error.
  const std::string& mistake() const { return mistake_; }

  void print_help(std::FILE* stream) const {
    std::fprintf(stream, "usage: %s [options]\n", std::string(program_).c_str());
    for (const Option& option : options_)
      std::fprintf(stream, "  --%-11s %s [%s]\n", std::string(option.name).c_str(),
                   std::string(option.meaning).c_str(), current_value(option).c_str());
    std::fprintf(stream, "  --no-verify   skip the comparison with the sequential answer\n");
  }

 private:
  const Option* find(std::string_view word) const {
    for (const Option& option : options_)
      if (word.starts_with("--") && word.substr(2) == option.name) return &option;
    return nullptr;
  }

  static std::string current_value(const Option& option) {
    if (std::holds_alternative<bool*>(option.target)) return "off";
    if (const auto* word = std::get_if<std::string*>(&option.target)) return **word;
    char text[40];
    const auto* whole = std::get_if<std::int64_t*>(&option.target);
    std::snprintf(text, sizeof text, "%g",
                  whole ? static_cast<double>(**whole) : *std::get<double*>(option.target));
    return text;
  }

  static bool store(const Option& option, std::string_view text) {
    if (const auto* word = std::get_if<std::string*>(&option.target)) {
      **word = text;
      return true;
    }
    if (const auto* whole = std::get_if<std::int64_t*>(&option.target))
      return store_number(option, text, *whole);
    return store_number(option, text, std::get<double*>(option.target));
  }

  template <class Number>
  static bool store_number(const Option& option, std::string_view text, Number* target) {
    Number value = *target;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    // The comparison is written so that a NaN fails it.
    const bool good = error == std::errc() && end == text.data() + text.size() &&
                      static_cast<double>(value) >= option.least && static_cast<double>(value) <= option.most;
    if (good) *target = value;
    return good;
  }

  static std::string range_message(const Option& option, std::string_view text) {
    char limits[80];
    std::snprintf(limits, sizeof limits, "between %.10g and %.10g", option.least, option.most);
    const bool whole = std::holds_alternative<std::int64_t*>(option.target);
    return "option '--" + std::string(option.name) + "' must be " +
           (whole ? "a whole number " : "a number ") + limits + ", not '" + std::string(text) + "'";
  }

  ParseOutcome fail(const std::string& reason) {
    mistake_ = std::string(program_) + ": " + reason + "; --help lists the options";
    return ParseOutcome::mistake;
  }

  std::string_view program_;
  std::span<const Option> options_;
  bool verify_ = true;
  std::string mistake_;
};

}  // namespace apps
