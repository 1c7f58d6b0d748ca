#pragma once
// Scripts that start MPI jobs themselves: the launchers that they call by name go through Tutti.

#include "command/launcher.hpp"

namespace tutti::command {

/// The line, behind commands that start another one, starts with a shell, or with a script and names no MPI program: a
/// script that gets one as an argument may be a launcher of its own.
bool is_script(const Words& line);

/// The line with `settings` in its environment, and with Tutti in front of each launcher that PATH has: each
/// launch becomes `tutti run --or-natively`. Error: not_found when PATH has no launcher.
base::Result<Words> in_front_of_launchers(const Words& line, const Environment& settings);

/// Takes out of this process's PATH what in_front_of_launchers() has put there: for the launch itself.
void step_aside();

}  // namespace tutti::command
