#pragma once
// Names for the collective benchmark. Without MPI, like command lines.

#include <string>
#include <vector>

namespace tutti::bench {

const std::vector<std::string>& case_names();

}  // namespace tutti::bench
