#pragma once
// An endpoint of a UcxNetwork.

#include <ucp/api/ucp.h>

#include <cstdint>
#include <span>
#include <vector>

#include "transport/ucx/ucx_network.hpp"

namespace tutti::transport {

/// Any number of operations may be in flight, told apart by their tags. Allocates only while the number of
/// transfers in flight reaches a new maximum. Only receives can be cancelled. A transfer ends with
/// Code::internal when its peer cannot be reached any more; it is reported two seconds after UCX has ended
/// it.
class UcxEndpoint final : public Endpoint {
 public:
  UcxEndpoint(UcxNetwork& network, Space space, std::span<const int> process_of_rank)
      : network_(network), space_(space), process_of_rank_(process_of_rank) {}
  /// Receives still in flight are cancelled. The memory of what is still in flight, sends included, stays
  /// valid until the network has gone.
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

  // With the network's lock.
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
  size_t in_flight_ = 0;           // with the lost ones
  std::vector<Completion> ended_;  // not yet handed over, in order; has room for all in flight
  size_t handed_over_ = 0;
  std::vector<uint64_t> lost_;  // cookies of transfers that UCX has ended with an error, not yet reported
  uint64_t lost_since_ns_ = 0;
};

}  // namespace tutti::transport
