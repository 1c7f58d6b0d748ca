#pragma once
// All settings of Tutti: one table, read from the environment once. docs/configuration.md and `tutti info` are
// generated from this table; every setting has a row in settings.cpp.

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
  std::string_view default_value;  // as written in the environment
  std::string_view summary;        // one line
  uint64_t min = 0;                // Kind::count and Kind::bytes
  uint64_t max = UINT64_MAX;
  std::span<const std::string_view> choices = {};  // Kind::choice
  bool takes_zero = false;                         // 0 is valid although `min` is larger
  bool is_permille = false;           // Kind::count, of thousandths; also as a percentage, like 2%
  std::string_view former_name = {};  // still accepted
  std::span<const std::string_view> former_choices = {};  // in the order of `choices`, with the former name
};

std::span<const Setting> settings_table();

/// A setting that the environment or a command line names, by its present or its former name.
struct NamedSetting {
  const Setting* row = nullptr;  // nullptr: there is no such setting
  std::string value;             // as written with the present name
  bool has_former_name = false;

  /// One line that tells the user of the present name, if the value is valid.
  std::string notice() const;
};
NamedSetting find_setting(std::string_view name, std::string_view value);

/// The effective values. Immutable; any thread.
class Settings {
 public:
  /// All values are defaults.
  Settings();

  /// Reads `environment` (NAME=VALUE strings, terminated by nullptr). An invalid value or an unknown TUTTI_* name adds
  /// one line to `problems`; the default stays in effect. So does a former name, unless the present one is there, too.
  static Settings from_environment(const char* const* environment, std::vector<std::string>* problems);

  /// The settings of this process, for the library. A privileged program (set-user-ID, set-group-ID, file capabilities)
  /// ignores the user's environment, because settings name files to be read and written; if there were settings, one
  /// line in `problems` says so.
  static Settings of_process(std::vector<std::string>* problems,
                             const char* const* environment = environment_of_process(),
                             bool is_privileged = is_privileged_process());
  /// Whether the kernel marks the process as privileged (AT_SECURE).
  static bool is_privileged_process();

  /// The names must be in the table.
  bool flag(std::string_view name) const;
  uint64_t number(std::string_view name) const;        // count or bytes
  std::string_view text(std::string_view name) const;  // choice or text
  /// Whether the value comes from the environment.
  bool is_set(std::string_view name) const;

  /// Hash of all settings that decisions depend on: ranks with different values could deadlock each other.
  uint64_t fingerprint() const;

  /// Checks a value for a setting.
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
