#pragma once
// Libraries of other people that are preloaded with Tutti and stand in front of MPI functions, too: profilers.

#include <string>
#include <vector>

namespace tutti::command {

/// Those of LD_PRELOAD, in its order: the first is the program's first. Which ones the program is linked with is known
/// when it runs; its record names them all.
std::vector<std::string> preloaded_tools();

}  // namespace tutti::command
