#pragma once
// Checks whether a program's file can run as a thread.

#include <string>

#include "base/status.hpp"

namespace tutti::actors {

/// `program`: a file name. Errors: see ProgramImage; not_supported, with the reason. The calls that it refers
/// to are checked when it is loaded (coverage.hpp).
base::Status check_program(const std::string& program);

}  // namespace tutti::actors
