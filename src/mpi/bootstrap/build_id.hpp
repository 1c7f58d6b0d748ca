#pragma once

#include <string>

namespace tutti::mpi {

/// Identifies the build of this library: the version, and the build id that the linker has computed from its content.
std::string build_id();

}  // namespace tutti::mpi
