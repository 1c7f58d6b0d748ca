// tutti bench [--overlap] [collective ...] [options] -- mpirun -n 8: both sides in turn, in one run of the
// benchmark program.

#include <algorithm>

#include "command/command.hpp"
#include "command/launch.hpp"

namespace tutti::command {

namespace {

/// The benchmark explains its own options, alone and without a launcher.
int show_help(std::string_view name) {
  for (Mpi mpi : {Mpi::mpich, Mpi::openmpi})
    if (const auto program = helper_program(name, mpi)) return execute({program->string(), "--help"});
  return fail("the benchmark program is missing: this Tutti was built without any MPI");
}

int run(const Words& options, const Words& line) {
  const auto asks = [&](const char* flag) {
    return std::find(options.begin(), options.end(), flag) != options.end();
  };
  const std::string_view name = asks("--overlap") ? "tutti-bench-overlap" : "tutti-bench";
  if (asks("--help") || asks("-h")) return show_help(name);
  auto launch =
      prepare({.line = line.empty() ? Words{"mpirun"} : line, .settings = {}, .needs_program = false});
  if (!launch) return fail(launch.status().message());
  const auto program = helper_program(name, launch->mpi);
  if (!program) return fail(program.status().message());
  launch->line.push_back(program->string());
  launch->line.insert(launch->line.end(), options.begin(), options.end());
  return execute(launch->line);
}

}  // namespace

Action add_bench(CLI::App& app, const Words& line) {
  app.set_help_flag();  // --help goes to the benchmark, like every other word before "--"
  app.prefix_command();
  return [&app, &line] { return run(app.remaining(), line); };
}

}  // namespace tutti::command
