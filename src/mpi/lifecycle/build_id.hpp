#pragma once

#include <string>

namespace tutti::mpi {

/// What two processes that have loaded the same file of this library have in common, and with different
/// builds not: the version, and what the linker has computed from the content.
std::string build_id();

}  // namespace tutti::mpi
