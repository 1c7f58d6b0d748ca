#pragma once
// What the collective benchmark knows. Without MPI, as command lines are.

#include <string>
#include <vector>

namespace tutti::bench {

const std::vector<std::string>& case_names();

}  // namespace tutti::bench
