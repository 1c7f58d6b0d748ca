#pragma once
// Messages between the ranks of one node through a region.
//
// Each ordered pair of ranks has a mailbox, a short ring of slots. Messages of a pair never overtake.
//
//   length                path                                                     the send ends
//   up to k_inline_bytes  in the slot itself                                       at once
//   up to block_bytes     in a block of the sender's pool, if one is free          at once
//   longer                rendezvous: the receiver reads the sender's memory in    when the receiver has
//                         one copy (one_copy.hpp)                                  the bytes
//   … not readable        the sender copies chunks into its pool, the receiver     likewise
//                         copies them out
//
// A sender whose pool is exhausted uses the slot itself as chunk, so no pair depends on the progress of
// another pair. A full mailbox answers try_again().

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "node/one_copy.hpp"
#include "node/region.hpp"
#include "transport/endpoint.hpp"

namespace tutti::node {

/// Used by one thread at a time. Region and OneCopy must outlive it; all its transfers must have ended before
/// it is destroyed.
///
/// The operations of a communicator use it one after the other, in the same order on every rank. Messages are
/// matched in order and their tags are only checked; a message is dropped if receives with its tag were
/// cancelled. Completions with an error: internal for any other tag mismatch, invalid_argument if the length
/// of a message differs from that of its receive.
///
/// send(), recv() and poll() allocate nothing and take no lock. They make system calls only for one-copy
/// reads and to wake a sleeping member (doorbell.hpp).
class LocalEndpoint final : public transport::Endpoint {
 public:
  /// Maximum number of posted receives per sender; further ones get try_again().
  static constexpr uint32_t k_max_posted = 8;

  /// `ranks`: the Peer::local numbers of the members, in ascending order and in the order of
  /// RegionKey::members.
  LocalEndpoint(const Region& region, OneCopy& one_copy, std::span<const Rank> ranks);
  ~LocalEndpoint() override;

  base::Status send(transport::Peer to, transport::Tag tag, transport::ConstBytes data,
                    uint64_t cookie) override;
  base::Status recv(transport::Peer from, transport::Tag tag, transport::Bytes data,
                    uint64_t cookie) override;
  size_t poll(std::span<transport::Completion> done) override;
  void cancel(uint64_t cookie) override;
  transport::Capabilities capabilities() const override { return {}; }

  /// Bytes of private memory that this object holds.
  size_t footprint_bytes() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace tutti::node
