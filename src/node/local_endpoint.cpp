#include "node/local_endpoint.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "node/channels.hpp"
#include "node/doorbell.hpp"

namespace tutti::node {

using base::Status;

class LocalEndpoint::State {
 public:
  State(const Region& region, OneCopy& one_copy, std::span<const Rank> ranks)
      : me_(region.me().index),
        ringer_(region),
        ranks_(ranks.begin(), ranks.end()),
        completions_(max_open(region)),
        open_limit_(max_open(region)) {
    senders_.reserve(ranks_.size());
    receivers_.reserve(ranks_.size());
    for (uint32_t peer = 0; peer < region.member_count(); ++peer) {
      // The channel to this rank itself is never used; it keeps the indices equal to the members.
      const uint32_t other = peer == me_ ? (me_ + 1) % region.member_count() : peer;
      senders_.emplace_back(region, other);
      receivers_.emplace_back(region, one_copy, other, k_max_posted);
    }
  }

  /// The member with number `peer` in the schedule, or nullopt.
  std::optional<uint32_t> member_of(transport::Peer peer) const {
    if (peer.kind != transport::Peer::Kind::local) return std::nullopt;
    const auto at = std::lower_bound(ranks_.begin(), ranks_.end(), peer.index);
    if (at == ranks_.end() || *at != peer.index) return std::nullopt;
    const auto member = static_cast<uint32_t>(at - ranks_.begin());
    return member == me_ ? std::nullopt : std::optional(member);
  }

  Status send(transport::Peer to, transport::Tag tag, transport::ConstBytes data, uint64_t cookie) {
    const std::optional<uint32_t> member = member_of(to);
    if (!member) return unknown_peer(to);
    if (open_ == open_limit_ || !senders_[*member].send(tag, data, cookie, completions_))
      return transport::try_again();
    ++open_;
    ringer_.ring(*member);
    return {};
  }

  Status recv(transport::Peer from, transport::Tag tag, transport::Bytes data, uint64_t cookie) {
    const std::optional<uint32_t> member = member_of(from);
    if (!member) return unknown_peer(from);
    if (open_ == open_limit_ || !receivers_[*member].post(tag, data, cookie)) return transport::try_again();
    ++open_;
    return {};
  }

  size_t poll(std::span<transport::Completion> done) {
    if (open_ == 0) return 0;
    for (uint32_t member = 0; member < receivers_.size(); ++member) {
      const uint32_t before = news(member);
      if (!receivers_[member].is_idle()) receivers_[member].progress(cancelled_, completions_);
      if (!senders_[member].is_idle()) senders_[member].progress(completions_);
      if (news(member) != before) ringer_.ring(member);
    }
    size_t count = 0;
    while (count < done.size() && !completions_.empty()) done[count++] = completions_.pop();
    open_ -= static_cast<uint32_t>(count);
    return count;
  }

  void cancel(uint64_t cookie) {
    for (ReceiveChannel& receiver : receivers_)
      if (receiver.cancel(cookie, cancelled_, completions_)) return;
  }

  size_t footprint_bytes() const {
    size_t bytes = sizeof *this + ranks_.capacity() * sizeof(Rank) + completions_.footprint_bytes() +
                   senders_.capacity() * sizeof(SendChannel) + receivers_.capacity() * sizeof(ReceiveChannel);
    for (const SendChannel& sender : senders_) bytes += sender.footprint_bytes();
    for (const ReceiveChannel& receiver : receivers_) bytes += receiver.footprint_bytes();
    return bytes;
  }

 private:
  uint32_t news(uint32_t member) const { return senders_[member].news() + receivers_[member].news(); }

  static uint32_t max_open(const Region& region) {
    return (region.member_count() - 1) * (region.layout().shape().slots + k_max_posted);
  }

  static Status unknown_peer(transport::Peer peer) {
    return Status::invalid_argument(
        fmt::format("local endpoint: rank {} (peer kind {}) is not another rank of this "
                    "node",
                    peer.index, static_cast<int>(peer.kind)));
  }

  uint32_t me_;
  DoorbellSender ringer_;
  std::vector<Rank> ranks_;  // ascending, by member
  std::vector<SendChannel> senders_;
  std::vector<ReceiveChannel> receivers_;
  CancelledTags cancelled_;
  // Transfers that have ended but are not reported yet. `open_` counts all unreported transfers, which bounds
  // its size.
  Completions completions_;
  uint32_t open_ = 0;
  uint32_t open_limit_;
};

LocalEndpoint::LocalEndpoint(const Region& region, OneCopy& one_copy, std::span<const Rank> ranks)
    : state_(std::make_unique<State>(region, one_copy, ranks)) {}

LocalEndpoint::~LocalEndpoint() = default;

Status LocalEndpoint::send(transport::Peer to, transport::Tag tag, transport::ConstBytes data,
                           uint64_t cookie) {
  return state_->send(to, tag, data, cookie);
}

Status LocalEndpoint::recv(transport::Peer from, transport::Tag tag, transport::Bytes data, uint64_t cookie) {
  return state_->recv(from, tag, data, cookie);
}

size_t LocalEndpoint::poll(std::span<transport::Completion> done) {
  return state_->poll(done);
}

void LocalEndpoint::cancel(uint64_t cookie) {
  state_->cancel(cookie);
}

size_t LocalEndpoint::footprint_bytes() const {
  return sizeof *this + state_->footprint_bytes();
}

}  // namespace tutti::node
