#pragma once
// An endpoint of a UcxNetwork.

#include <ucp/api/ucp.h>

#include <cstdint>
#include <span>
#include <vector>

#include "transport/ucx/ucx_network.hpp"

namespace tutti::transport {

/// Tags distinguish operations in flight, whose number is unlimited. Allocates only while the number of
/// transfers in flight reaches a new maximum. Only receives can be cancelled. A transfer ends with
/// Code::internal if its peer has become unreachable; it is reported two seconds after UCX has ended it.
class UcxEndpoint final : public Endpoint {
 public:
  UcxEndpoint(UcxNetwork& network, Space space, std::span<const int> process_of_rank)
      : network_(network), space_(space), process_of_rank_(process_of_rank) {}
  /// Cancels the receives in flight. The buffers of all transfers in flight, sends included, must stay valid
  /// until the network is destroyed.
  ~UcxEndpoint() override;
  UcxEndpoint(const UcxEndpoint&) = delete;
  UcxEndpoint& operator=(const UcxEndpoint&) = delete;

  base::Status send(Peer to, Tag tag, ConstBytes data, uint64_t cookie) override;
  base::Status recv(Peer from, Tag tag, Bytes data, uint64_t cookie) override;
  size_t poll(std::span<Completion> done) override;
  void cancel(uint64_t cookie) override;
  Capabilities capabilities() const override { return {.has_events = true}; }

 private:
  using Transfer = UcxNetwork::Transfer;

  // The caller holds the network's lock.
  base::Result<Transfer*> prepare(uint64_t cookie);
  base::Status started(Transfer* transfer, ucs_status_ptr_t request);
  static void on_sent(void* request, ucs_status_t status, void* transfer);
  static void on_received(void* request, ucs_status_t status, const ucp_tag_recv_info_t* info,
                          void* transfer);
  static void end(Transfer* transfer, ucs_status_t status);
  void end_own(const Transfer& transfer, ucs_status_t status);
  void report_lost();

  UcxNetwork& network_;
  const Space space_;
  const std::span<const int> process_of_rank_;
  size_t in_flight_ = 0;           // including lost_
  std::vector<Completion> ended_;  // not yet reported, in order; has capacity for all transfers in flight
  size_t handed_over_ = 0;
  std::vector<uint64_t> lost_;  // cookies of transfers that UCX ended with an error, not yet reported
  uint64_t lost_since_ns_ = 0;
};

}  // namespace tutti::transport
