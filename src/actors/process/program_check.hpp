#pragma once
// Whether a program's file can run as a thread.

#include <string>

#include "base/status.hpp"

namespace tutti::actors {

/// `program`: a file. Errors: as of ProgramImage; not_supported, with the reason. Which calls it names is looked at
/// when it is loaded (coverage.hpp).
base::Status check_program(const std::string& program);

}  // namespace tutti::actors
