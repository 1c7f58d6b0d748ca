#include "transport/ucx/plugin.hpp"

#include "transport/ucx/ucx_network.hpp"

namespace tutti::transport {

#pragma GCC visibility push(default)
extern "C" OpenUcxNetwork tutti_open_ucx_network;
#pragma GCC visibility pop

void tutti_open_ucx_network(const UcxOptions& options, std::unique_ptr<Network>* network,
                            base::Status* status) {
  auto opened = UcxNetwork::open(options);
  *status = opened.status();
  if (opened) *network = std::move(*opened);
}

}  // namespace tutti::transport
