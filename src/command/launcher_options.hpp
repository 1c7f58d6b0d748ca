#pragma once
// The options of launchers, as far as it matters how many words they take. Pure.

#include <optional>
#include <string_view>

#include "command/launcher.hpp"

namespace tutti::command {

/// How many words after the option at `i` are its values.
size_t values_after(Launcher launcher, const Words& line, size_t i);

/// The word is the option of that name, which is written with as many dashes as the launcher's manual has.
bool same_option(Launcher launcher, std::string_view word, std::string_view name);

/// The word is an option, perhaps with its value behind '=', by which ranks may come to other machines.
bool chooses_hosts(Launcher launcher, std::string_view word);

/// Where the line names a file with the programs and their options: the word after -configfile or --app.
std::optional<size_t> place_of_program_file(Launcher launcher, const Words& line);

/// -env or -genv.
bool sets_hydra_variable(std::string_view word);

}  // namespace tutti::command
