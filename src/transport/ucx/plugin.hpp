#pragma once
// The interface of libtutti-ucx.so. Only libraries of the same build use it.

#include <memory>

#include "base/status.hpp"
#include "transport/network.hpp"

namespace tutti::transport {

inline constexpr const char* k_ucx_library = "libtutti-ucx.so";
inline constexpr const char* k_open_ucx_network = "tutti_open_ucx_network";

struct UcxOptions {
  const char* devices = "";  // as UCX_NET_DEVICES; empty: that variable's value, or all devices
  size_t process_count = 1;  // of the job
};

/// Errors: internal, when UCX cannot start; out_of_memory.
using OpenUcxNetwork = void(const UcxOptions& options, std::unique_ptr<Network>* network,
                            base::Status* status);

}  // namespace tutti::transport
