#pragma once
// The command line of `tutti` as data, the source of the man page and the shell completions.

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace tutti::command {

/// The subcommands of `app`: {name, summary, footer, arguments, options, commands}. An option has names, a summary,
/// whether it takes a value, a default and, if there are few, the choices; an argument has a name and a summary.
nlohmann::ordered_json commands_json(const CLI::App& app);

}  // namespace tutti::command
