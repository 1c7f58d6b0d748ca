#pragma once
// The collectives that can be tuned. Without MPI, like command lines.

#include <string>
#include <vector>

namespace tutti::bench {

/// All collectives that have a size which every rank knows. A rule for the others would hold for any size.
std::vector<std::string> tuned_names();

/// This MPI has persistent collectives.
bool has_persistent_collectives();

}  // namespace tutti::bench
