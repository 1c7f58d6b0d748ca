#pragma once
// The algorithm selection that an MPICH was built with: a tree of conditions in JSON, which is a file in its sources
// and a string in its library.

#include <string>
#include <string_view>

#include "base/status.hpp"

namespace tutti::command {

/// Of the MPICH that Tutti was built for. Error: not_found.
base::Result<std::string> installed_mpich_tuning();

/// From a file that contains the tree itself, or a library that contains it. Errors: system, invalid_argument.
base::Result<std::string> mpich_tuning_of(const std::string& file_name);

/// The longest string in `library` that looks like such a tree; shorter ones are for other parts of MPICH. Empty: none.
std::string_view find_mpich_tuning(std::string_view library);

}  // namespace tutti::command
