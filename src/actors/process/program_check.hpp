#pragma once
// Whether a program's file can run as a thread.

#include <span>
#include <string>
#include <string_view>

#include "base/status.hpp"

namespace tutti::actors {

/// `program`: a file. Errors: as of ProgramImage; not_supported, with the reason. Libraries are looked at when they are
/// loaded (coverage.hpp).
base::Status check_program(const std::string& program, std::span<const std::string_view> covered);

}  // namespace tutti::actors
