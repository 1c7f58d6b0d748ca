#pragma once
// Loads libtutti-ucx.so and prevents UCX's side effects on the program.

#include <cstddef>
#include <memory>

#include "base/status.hpp"
#include "transport/network.hpp"

namespace tutti::mpi {

/// True if this machine has a network that programs use without the kernel's TCP.
bool has_fast_network();

/// Opens the UCX network. Local. Errors: not_supported: the library or UCX is not installed, or UCX would need too many
/// connections or file descriptors; internal: UCX finds no transport; out_of_memory.
base::Status open_ucx(size_t process_count, std::unique_ptr<transport::Network>* network);

}  // namespace tutti::mpi
