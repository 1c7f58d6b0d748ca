#pragma once
// Adds Tutti to a launch line; shared by `run` and `bench`.

#include <optional>

#include "command/launcher.hpp"

namespace tutti::command {

struct Launch {
  Words line;  // ready for execvp()
  Mpi mpi;
  std::string obstacle;     // detected reason why Tutti does not reach the program; empty: none
  bool stays_here = false;  // no sign that ranks could run on other machines
};

struct LaunchRequest {
  Words line;                   // as the user typed it
  Environment settings;         // TUTTI_* of this run; override the environment
  bool needs_program = true;    // false: only a launcher with its options; the caller appends the program
  std::optional<Mpi> mpi = {};  // named by the user
  bool as_threads = false;      // ranks run as threads (src/actors), without the preloaded library
};

/// Reason why a line cannot be started: its first word or its programs are missing (exit status 127, as in a shell) or
/// not executable (126).
struct Obstacle {
  std::string message;
  int status;
};
std::optional<Obstacle> find_obstacle(const Words& line);

/// The line from the launcher on, or from the program on without a launcher.
Words without_prefix(const Words& line);

/// The MPI of the value of --mpi, which one_of() has validated; empty: nullopt.
std::optional<Mpi> mpi_named(std::string_view name);

/// Determines the MPI, and adds Tutti for the ranks only, also behind commands that start the launcher or the program
/// (prefix.hpp). Error: one line with what to do: the program is missing, unreadable, statically linked, or uses an
/// unknown MPI, or another MPI than its launcher.
base::Result<Launch> prepare(const LaunchRequest& request);

/// Replaces this process by the line. Returns only on failure, with the exit status of a shell for it (127 or 126).
int execute(const Words& line);

}  // namespace tutti::command
