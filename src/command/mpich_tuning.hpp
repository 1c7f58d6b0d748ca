#pragma once
// The decisions that an MPICH was built with: a tree of conditions in JSON, a file in its sources and a text
// in its library.

#include <string>
#include <string_view>

#include "base/status.hpp"

namespace tutti::command {

/// Of the MPICH that Tutti was built for. Error: not_found.
base::Result<std::string> installed_mpich_tuning();

/// Of a file, which is the tree itself or a library that holds it. Errors: system, invalid_argument.
base::Result<std::string> mpich_tuning_of(const std::string& file_name);

/// The longest text in `library` that looks like such a tree: others in there are about parts of MPICH.
/// Empty: there is none.
std::string_view find_mpich_tuning(std::string_view library);

}  // namespace tutti::command
