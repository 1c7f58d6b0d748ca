#pragma once
// What the overlap benchmark knows. Without MPI, as command lines are.

#include <string>
#include <vector>

namespace tutti::bench {

/// The collectives that can be started, each behind `prefix`.
std::vector<std::string> nonblocking_names(const std::string& prefix = "");

}  // namespace tutti::bench
