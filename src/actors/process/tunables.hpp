#pragma once
// Settings of the C library that a process has to begin with.

#include <string>
#include <vector>

namespace tutti::actors {

/// Replaces this process by one that has them; returns if it has. What the user has set stays for the ranks.
void begin_with_tunables(char** arguments);
/// This process's environment as the launcher has given it.
std::vector<std::string> environment_without_tunables();

}  // namespace tutti::actors
