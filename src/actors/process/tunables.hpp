#pragma once
// Settings of the C library that must be set at process start.

#include <string>
#include <vector>

namespace tutti::actors {

/// Re-executes this process with these settings; returns if they are set, or on failure. The user's own
/// settings stay in effect for the ranks.
void begin_with_tunables(char** arguments);
/// This process's environment as given by the launcher.
std::vector<std::string> environment_without_tunables();

}  // namespace tutti::actors
