#pragma once
// Options of launchers: how many values each takes. Pure.

#include <optional>
#include <string_view>

#include "command/launcher.hpp"

namespace tutti::command {

/// Number of words after the option at `i` that are its values.
size_t values_after(Launcher launcher, const Words& line, size_t i);

/// Whether the word is the option of that name, with the number of dashes that the launcher accepts.
bool same_option(Launcher launcher, std::string_view word, std::string_view name);

/// Whether the word is an option, with or without "=value", that can place ranks on other machines.
bool chooses_hosts(Launcher launcher, std::string_view word);

/// Index of the name of a file with programs and their options: the word after -configfile or --app.
std::optional<size_t> place_of_program_file(Launcher launcher, const Words& line);

/// Whether the word is -env or -genv.
bool sets_hydra_variable(std::string_view word);

}  // namespace tutti::command
