#include "transport/endpoint.hpp"

#include <fmt/format.h>

namespace tutti::transport {

using base::Status;

base::Result<int> find_rank(const char* transport, Peer peer, std::span<const int> network_rank_of_rank) {
  if (peer.kind != Peer::Kind::rank && peer.kind != Peer::Kind::local)
    return Status::invalid_argument(fmt::format("{} endpoint: it addresses ranks only", transport));
  if (peer.index < 0 || static_cast<size_t>(peer.index) >= network_rank_of_rank.size())
    return Status::invalid_argument(
        fmt::format("{} endpoint: no rank {} among {}", transport, peer.index, network_rank_of_rank.size()));
  return network_rank_of_rank[static_cast<size_t>(peer.index)];
}

}  // namespace tutti::transport
