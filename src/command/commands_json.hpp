#pragma once
// The command line of `tutti` as data, from which the man page and the shells' completions are made.

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace tutti::command {

/// The subcommands below `app`: {name, summary, footer, arguments, options, commands}. An option has its
/// names, a summary, whether it takes a value, a default and, where there are few, the choices; an argument
/// a name and a summary.
nlohmann::ordered_json commands_json(const CLI::App& app);

}  // namespace tutti::command
