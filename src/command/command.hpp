#pragma once
// The `tutti` command: one file per subcommand, which adds itself to the parser and returns its exit status.

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace tutti::command {

/// Exit statuses: 0 success, 1 a check failed, 2 wrong usage or input; subcommands that run a line return its status.
inline constexpr int k_done = 0;
inline constexpr int k_failed = 1;
inline constexpr int k_usage = 2;

/// Prints "tutti: MESSAGE" on stderr and returns `status`.
int fail(const std::string& message, int status = k_usage);

/// Function that executes a subcommand after its options were parsed.
using Action = std::function<int()>;

/// `line`: the words after "--", complete before the action runs.
Action add_run(CLI::App& app, const std::vector<std::string>& line);
Action add_bench(CLI::App& app, const std::vector<std::string>& line);
Action add_tune(CLI::App& app, const std::vector<std::string>& line);

Action add_export(CLI::App& app);
Action add_info(CLI::App& app);
Action add_schedule(CLI::App& app);
Action add_explain(CLI::App& app);
Action add_report(CLI::App& app);
Action add_access(CLI::App& app);
Action add_fabric(CLI::App& app);
Action add_offload(CLI::App& app);
Action add_model(CLI::App& app);
Action add_simulate(CLI::App& app);

/// Parses the command line and runs the subcommand. A failure to write standard output is an error of any subcommand.
int run_command(int argc, char** argv);

}  // namespace tutti::command
