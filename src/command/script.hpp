#pragma once
// Scripts and other commands that start MPI jobs themselves: the launchers that they call by name are redirected to
// Tutti.

#include "command/launcher.hpp"

namespace tutti::command {

/// Whether the line, behind prefix commands, starts with a shell, a script, or a program without MPI (make, perl, a
/// site's own launcher), unless `has_mpi`: the user has named the MPI. The words of such a line are not changed.
bool is_script(const Words& line, bool has_mpi);

/// The line with `settings` in its environment, and with a Tutti script in PATH before each launcher: each launch
/// becomes `tutti run --or-natively`. Error: not_found if PATH has no launcher.
base::Result<Words> in_front_of_launchers(const Words& line, const Environment& settings);

/// Removes the folder that in_front_of_launchers() has added from this process's PATH, for the launch itself.
void step_aside();

}  // namespace tutti::command
