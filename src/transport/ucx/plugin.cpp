#include "transport/ucx/plugin.hpp"

#include "transport/ucx/ucx_network.hpp"

namespace tutti::transport {

#pragma GCC visibility push(default)
extern "C" OpenUcxNetwork tutti_open_ucx_network;
#pragma GCC visibility pop

base::Status tutti_open_ucx_network(const UcxOptions& options, std::unique_ptr<Network>* network) {
  auto opened = UcxNetwork::open(options);
  if (opened) *network = std::move(*opened);
  return opened.status();
}

}  // namespace tutti::transport
