#pragma once
// Scripts and other commands that start MPI jobs themselves: the launchers that they call by name go through Tutti.

#include "command/launcher.hpp"

namespace tutti::command {

/// The line, behind commands that start another one, starts with a shell, a script, or a program of no MPI (make, perl,
/// a site's own launcher), unless `has_mpi`: a person has said which MPI it uses. What it does with its words is its
/// business: they stay as they are.
bool is_script(const Words& line, bool has_mpi);

/// The line with `settings` in its environment, and with Tutti in front of each launcher that PATH has: each
/// launch becomes `tutti run --or-natively`. Error: not_found when PATH has no launcher.
base::Result<Words> in_front_of_launchers(const Words& line, const Environment& settings);

/// Takes out of this process's PATH what in_front_of_launchers() has put there: for the launch itself.
void step_aside();

}  // namespace tutti::command
