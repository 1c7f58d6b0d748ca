#pragma once
// Names for the overlap benchmark. Without MPI, like command lines.

#include <string>
#include <vector>

namespace tutti::bench {

/// The collectives that can be started, each behind `prefix`.
std::vector<std::string> nonblocking_names(const std::string& prefix = "");

}  // namespace tutti::bench
