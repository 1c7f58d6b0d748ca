#pragma once
// Every setting of Tutti: one table, read from the environment once. docs/configuration.md and `tutti info`
// are made from this table; a setting exists when it has a row in settings.cpp.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.hpp"
#include "base/status.hpp"

namespace tutti::base {

struct Setting {
  enum class Kind : uint8_t { flag, count, bytes, choice, text };
  std::string_view name;  // environment variable
  Kind kind;
  std::string_view default_value;  // as it would be written in the environment
  std::string_view summary;        // one line
  uint64_t min = 0;                // Kind::count and Kind::bytes
  uint64_t max = UINT64_MAX;
  std::span<const std::string_view> choices = {};  // Kind::choice
  bool takes_zero = false;                         // although `min` is above it
};

std::span<const Setting> settings_table();

/// The values in force. Immutable once read; safe to read from any thread.
class Settings {
 public:
  /// All defaults.
  Settings();

  /// Reads `environment` (NAME=VALUE strings, ended by nullptr). A value that cannot be, or an unknown
  /// TUTTI_* name, adds one line to `problems`, and the default stays in force.
  static Settings from_environment(const char* const* environment, std::vector<std::string>* problems);

  /// The settings of this process, for the library. A program that runs with more rights than the user who
  /// started it (set-user-ID, set-group-ID, file capabilities) takes none from the user's environment,
  /// because settings name files to be read and written; one line in `problems` says so where that matters.
  static Settings of_process(std::vector<std::string>* problems,
                             const char* const* environment = environment_of_process(),
                             bool is_privileged = is_privileged_process());
  /// What the kernel says (AT_SECURE).
  static bool is_privileged_process();

  /// The names must be in the table.
  bool flag(std::string_view name) const;
  uint64_t number(std::string_view name) const;        // count or bytes
  std::string_view text(std::string_view name) const;  // choice or text
  /// True when the value comes from the environment.
  bool is_set(std::string_view name) const;

  /// One number for everything that decisions are made from: ranks whose numbers differ would hang each other.
  uint64_t fingerprint() const;

  /// Checks one value against its row without changing anything.
  static Status check(const Setting& setting, std::string_view value);

 private:
  struct Value {
    std::string text;
    uint64_t number = 0;
    bool from_environment = false;
  };
  const Value& value_of(std::string_view name) const;
  std::vector<Value> values_;  // in the order of the table
};

}  // namespace tutti::base
