// tutti bench [--overlap] [collective ...] [options] -- mpirun -n 8: measures native MPI and Tutti alternately, in one
// run of the benchmark program.

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "command/command.hpp"
#include "command/launch.hpp"
#include "command/validators.hpp"

namespace tutti::command {

namespace {

/// Prints the benchmark program's own help, without a launcher.
int show_help(std::string_view name) {
  const auto program = helper_program(name);
  return program ? execute({program->string(), "--help"}) : fail(program.status().message());
}

/// The benchmark asks what served its calls (tutti_report()). A report that the user requested is kept.
Environment kept_report() {
  const char* wanted = std::getenv("TUTTI_REPORT");
  const bool is_kept = wanted != nullptr && *wanted != '\0' && std::string_view(wanted) != "none";
  return is_kept ? Environment{} : Environment{{"TUTTI_REPORT", "memory"}};
}

int run(const Words& options, const std::string& mpi, const Words& line) {
  const auto asks = [&](const char* flag) {
    return std::find(options.begin(), options.end(), flag) != options.end();
  };
  const std::string_view name = asks("--overlap") ? "tutti-bench-overlap" : "tutti-bench";
  if (asks("--help") || asks("-h")) return show_help(name);
  auto launch = prepare({.line = line.empty() ? Words{"mpirun"} : line,
                         .settings = kept_report(),
                         .needs_program = false,
                         .mpi = mpi_named(mpi)});
  if (!launch) return fail(launch.status().message());
  const auto program = helper_program(name, launch->mpi);
  if (!program) return fail(program.status().message());
  launch->line.push_back(program->string());
  launch->line.insert(launch->line.end(), options.begin(), options.end());
  return execute(launch->line);
}

}  // namespace

Action add_bench(CLI::App& app, const Words& line) {
  auto mpi = std::make_shared<std::string>();
  app.set_help_flag();  // --help is passed to the benchmark, like all unknown words
  app.allow_extras();
  app.add_option("--mpi", *mpi, "which MPI the launcher starts, where its name does not tell (srun)")
      ->check(one_of({"mpich", "openmpi"}));
  return [mpi, &app, &line] { return run(app.remaining(), *mpi, line); };
}

}  // namespace tutti::command
