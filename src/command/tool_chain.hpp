#pragma once
// Third-party libraries preloaded with Tutti that also interpose MPI functions, such as profilers.

#include <string>
#include <vector>

namespace tutti::command {

/// Those in LD_PRELOAD, in its order: the program calls the first one first. Libraries that the program is linked with
/// are only known when it runs; its record names all of them.
std::vector<std::string> preloaded_tools();

}  // namespace tutti::command
