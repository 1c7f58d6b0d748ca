// tutti tune --out FILE [collective ...] [options] -- mpirun -n 8: writes a rules file from trials in a program that
// only calls collectives.

#include <algorithm>
#include <memory>

#include "command/child.hpp"
#include "command/command.hpp"
#include "command/launch.hpp"
#include "command/output.hpp"
#include "command/rules_file.hpp"
#include "command/validators.hpp"

namespace tutti::command {

namespace {

struct TuneOptions {
  std::string out, report = "none", mpi;
};

/// Prints the program's own help, without a launcher.
int show_help() {
  const auto program = helper_program("tutti-tune");
  return program ? execute({program->string(), "--help"}) : fail(program.status().message());
}

int run(const TuneOptions& options, const Words& others, const Words& line) {
  const auto asks = [&](const char* flag) {
    return std::find(others.begin(), others.end(), flag) != others.end();
  };
  if (asks("--help") || asks("-h")) return show_help();
  if (options.out.empty()) return fail("tune: --out FILE says where the rules go (tutti tune --help)");
  const auto file = learnable_file(options.out);
  if (!file) return fail(file.status().message());
  const auto report = report_target(options.report);
  if (!report) return fail(report.status().message());
  auto launch = prepare({.line = line.empty() ? Words{"mpirun"} : line,
                         .settings = {{"TUTTI_LEARN", *file},
                                      {"TUTTI_REPORT", *report},
                                      {"TUTTI_TUNE", "all"},
                                      {"TUTTI_TUNE_BUDGET", "1000"}},
                         .needs_program = false,
                         .mpi = mpi_named(options.mpi)});
  if (!launch) return fail(launch.status().message());
  const auto program = helper_program("tutti-tune", launch->mpi);
  if (!program) return fail(program.status().message());
  launch->line.insert(launch->line.end(), {program->string(), "--out", *file});
  launch->line.insert(launch->line.end(), others.begin(), others.end());
  Child child(launch->line);
  child.wait();
  const int status = child.end();
  // After an interruption MPICH's launcher may return success.
  return status == 0 && child.interruption() != 0 ? 128 + child.interruption() : status;
}

}  // namespace

Action add_tune(CLI::App& app, const Words& line) {
  auto options = std::make_shared<TuneOptions>();
  app.set_help_flag();  // --help is passed to the program, like all unknown words
  app.allow_extras();
  app.add_option("--out", options->out, "the rules file; existing rules are kept and updated");
  app.add_option("--report", options->report, "also write a report for `tutti explain`");
  app.add_option("--mpi", options->mpi, "which MPI the launcher starts, where its name does not tell (srun)")
      ->check(one_of({"mpich", "openmpi"}));
  return [options, &app, &line] { return run(*options, app.remaining(), line); };
}

}  // namespace tutti::command
