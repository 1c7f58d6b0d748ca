#pragma once
// libtutti-ucx.so, and what it must not do to the program.

#include <cstddef>
#include <memory>

#include "base/status.hpp"
#include "transport/network.hpp"

namespace tutti::mpi {

/// This machine has a network that programs use without the kernel's TCP.
bool has_fast_network();

/// Local. Errors: not_supported, where the library or UCX is not installed; internal, where UCX finds no way;
/// out_of_memory.
base::Status open_ucx(size_t process_count, std::unique_ptr<transport::Network>* network);

}  // namespace tutti::mpi
