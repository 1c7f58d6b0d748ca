#pragma once
// The transport endpoint of schedules between ranks as threads: uses mailboxes of ranks and of groups.

#include <cstdint>
#include <memory>
#include <vector>

#include "actors/calls/detached_sends.hpp"
#include "actors/container/container_group.hpp"
#include "topology/topology.hpp"
#include "transport/endpoint.hpp"

namespace tutti::actors {

class Communicator;
class Rank;

/// Endpoint of one rank on one communicator. Used by the rank's thread only.
class Endpoint final : public transport::Endpoint {
 public:
  /// `topology`: its nodes are containers. The referenced objects must outlive this one.
  Endpoint(Rank& me, const Communicator& on, ContainerGroupKey group, const topology::Topology& topology);
  ~Endpoint() override;

  base::Status send(transport::Peer to, transport::Tag tag, transport::ConstBytes data,
                    uint64_t cookie) override;
  base::Status recv(transport::Peer from, transport::Tag tag, transport::Bytes data,
                    uint64_t cookie) override;
  size_t poll(std::span<transport::Completion> done) override;
  void cancel(uint64_t cookie) override;
  /// Completes unmatched sends early, with a copy of their data.
  void detach_sends(DetachedSends* so_far);
  transport::Capabilities capabilities() const override { return {.can_address_node = true}; }

 private:
  struct Transfer;
  Transfer& begin(uint64_t cookie);
  int container_of_node(int32_t node) const;

  Rank& me_;
  const Communicator& on_;
  const ContainerGroupKey group_;
  const topology::Topology& topology_;
  std::vector<std::unique_ptr<Transfer>> active_, idle_;
};

}  // namespace tutti::actors
