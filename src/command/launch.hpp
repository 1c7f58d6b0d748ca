#pragma once
// From a launch line to the same line under Tutti: what `run` and `bench` share.

#include <optional>

#include "command/launcher.hpp"

namespace tutti::command {

struct Launch {
  Words line;  // ready for execvp()
  Mpi mpi;
  std::string obstacle;     // what keeps Tutti from the program, as far as one sees it; empty: nothing
  bool stays_here = false;  // nothing says that ranks could run on other machines
};

struct LaunchRequest {
  Words line;            // as the user typed it
  Environment settings;  // TUTTI_* of this run, over those of the environment
  bool needs_program =
      true;  // false: the line is a launcher with its options; the caller appends the program
  std::optional<Mpi> mpi = {};  // that the user names
  bool as_threads = false;      // ranks run as threads (src/actors), in place of the preloaded library
};

/// What stands in the way of a line whose first word, or whose programs, are not there: with the exit status
/// of a shell, 127 (there is none) or 126 (it cannot be executed).
struct Obstacle {
  std::string message;
  int status;
};
std::optional<Obstacle> find_obstacle(const Words& line);

/// The line from the launcher on, or from the program on where there is none.
Words without_prefix(const Words& line);

/// Reads the value of --mpi, which one_of() has let pass; empty: nothing.
std::optional<Mpi> mpi_named(std::string_view name);

/// Finds out which MPI is used and adds Tutti for the ranks only, also behind commands that start the launcher or the
/// program (prefix.hpp). Error: one line that says what to do: the
/// program is missing, unreadable, statically linked, uses an unknown MPI, or another MPI than its launcher.
base::Result<Launch> prepare(const LaunchRequest& request);

/// Replaces this process by the line. Returns only on failure, with the exit status for it (127 or 126, as a
/// shell).
int execute(const Words& line);

}  // namespace tutti::command
