#include "tests/support/transport/loopback.hpp"

#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/transport/loopback_mailbox.hpp"

namespace tutti::transport {

using base::Code;
using base::Status;
using schedule::Rank;

namespace {

std::string name_of(const char* what, int64_t index) {
  return what + (" " + std::to_string(index));
}

}  // namespace

class LoopbackFabric::Fabric {
 public:
  Fabric(std::span<const int32_t> node_of_rank, LoopbackLimits limits);

  Endpoint& endpoint(Rank rank) { return *endpoints_[static_cast<size_t>(rank)]; }
  Status send(Rank me, Peer to, Tag tag, ConstBytes data, uint64_t cookie);
  Status recv(Rank me, Peer from, Tag tag, Bytes data, uint64_t cookie);
  void cancel(Rank me, uint64_t cookie);
  size_t poll(Rank me, std::span<Completion> done) {
    return completions_[static_cast<size_t>(me)].take(done);
  }

  Status lead(Rank rank, Tag tag);
  void resign(Rank rank, Tag tag);
  void fail();
  size_t waiting_count() const;

 private:
  class RankEndpoint final : public Endpoint {
   public:
    RankEndpoint(Fabric& fabric, Rank me) : fabric_(fabric), me_(me) {}
    Status send(Peer to, Tag tag, ConstBytes data, uint64_t cookie) override {
      return fabric_.send(me_, to, tag, data, cookie);
    }
    Status recv(Peer from, Tag tag, Bytes data, uint64_t cookie) override {
      return fabric_.recv(me_, from, tag, data, cookie);
    }
    size_t poll(std::span<Completion> done) override { return fabric_.poll(me_, done); }
    void cancel(uint64_t cookie) override { fabric_.cancel(me_, cookie); }
    Capabilities capabilities() const override { return {.can_address_node = true}; }

   private:
    Fabric& fabric_;
    const Rank me_;
  };

  Status check(Rank me, Peer peer, Tag tag) const;
  int32_t node_of(Rank rank) const { return node_of_rank_[static_cast<size_t>(rank)]; }
  /// The source that peers of this kind see for `me`.
  Source self(Rank me, Peer::Kind kind) const { return {kind, kind == Peer::Kind::node ? node_of(me) : me}; }
  LoopbackMailbox& mailbox(Source place) {
    return place.kind == Peer::Kind::node ? at_node_[index(place)] : at_rank_[index(place)];
  }
  static size_t index(Source place) { return static_cast<size_t>(place.index); }

  const std::vector<int32_t> node_of_rank_;
  const LoopbackLimits limits_;
  std::vector<CompletionQueue> completions_;  // by rank
  std::vector<LoopbackMailbox> at_rank_;
  std::vector<LoopbackMailbox> at_node_;
  std::vector<std::unique_ptr<RankEndpoint>> endpoints_;
  mutable std::mutex leaders_mutex_;
  std::map<std::pair<int32_t, Tag>, Rank> leaders_;
};

LoopbackFabric::Fabric::Fabric(std::span<const int32_t> node_of_rank, LoopbackLimits limits)
    : node_of_rank_(node_of_rank.begin(), node_of_rank.end()),
      limits_(limits),
      completions_(node_of_rank.size()),
      at_rank_(node_of_rank.size()),
      at_node_(static_cast<size_t>(std::ranges::max(node_of_rank)) + 1) {
  for (size_t rank = 0; rank < node_of_rank.size(); ++rank)
    endpoints_.push_back(std::make_unique<RankEndpoint>(*this, static_cast<Rank>(rank)));
}

Status LoopbackFabric::Fabric::check(Rank me, Peer peer, Tag tag) const {
  const size_t count = peer.kind == Peer::Kind::node ? at_node_.size() : at_rank_.size();
  if (peer.kind == Peer::Kind::none || peer.index < 0 || static_cast<size_t>(peer.index) >= count)
    return Status::invalid_argument("loopback: no such peer: " + std::to_string(peer.index));
  if (peer.kind != Peer::Kind::node) return {};
  const std::lock_guard lock(leaders_mutex_);
  const auto leader = leaders_.find({node_of(me), tag});
  if (leader != leaders_.end() && leader->second == me) return {};
  return Status::invalid_argument("loopback: " + name_of("rank", me) + " does not lead its node for " +
                                  name_of("tag", tag));
}

Status LoopbackFabric::Fabric::send(Rank me, Peer to, Tag tag, ConstBytes data, uint64_t cookie) {
  if (Status sound = check(me, to, tag); !sound) return sound;
  return mailbox({to.kind, to.index})
      .send(self(me, to.kind), tag, data, cookie, completions_[static_cast<size_t>(me)], limits_);
}

Status LoopbackFabric::Fabric::recv(Rank me, Peer from, Tag tag, Bytes data, uint64_t cookie) {
  if (Status sound = check(me, from, tag); !sound) return sound;
  mailbox(self(me, from.kind))
      .recv({from.kind, from.index}, tag, data, cookie, completions_[static_cast<size_t>(me)]);
  return {};
}

/// As in real networks, sends are not cancelled.
void LoopbackFabric::Fabric::cancel(Rank me, uint64_t cookie) {
  for (const Peer::Kind kind : {Peer::Kind::rank, Peer::Kind::node})
    mailbox(self(me, kind)).cancel(cookie, completions_[static_cast<size_t>(me)]);
}

Status LoopbackFabric::Fabric::lead(Rank rank, Tag tag) {
  const std::lock_guard lock(leaders_mutex_);
  const auto [leader, is_new] = leaders_.try_emplace({node_of(rank), tag}, rank);
  if (is_new || leader->second == rank) return {};
  return Status::invalid_argument("loopback: " + name_of("node", node_of(rank)) + " is led by " +
                                  name_of("rank", leader->second) + " for " + name_of("tag", tag));
}

void LoopbackFabric::Fabric::resign(Rank rank, Tag tag) {
  const std::lock_guard lock(leaders_mutex_);
  const auto leader = leaders_.find({node_of(rank), tag});
  if (leader != leaders_.end() && leader->second == rank) leaders_.erase(leader);
}

void LoopbackFabric::Fabric::fail() {
  for (LoopbackMailbox& mailbox : at_rank_) mailbox.fail(Code::system, ECONNRESET);
  for (LoopbackMailbox& mailbox : at_node_) mailbox.fail(Code::system, ECONNRESET);
}

size_t LoopbackFabric::Fabric::waiting_count() const {
  size_t count = 0;
  for (const LoopbackMailbox& mailbox : at_rank_) count += mailbox.waiting_count();
  for (const LoopbackMailbox& mailbox : at_node_) count += mailbox.waiting_count();
  return count;
}

LoopbackFabric::LoopbackFabric(std::span<const int32_t> node_of_rank, LoopbackLimits limits)
    : fabric_(std::make_unique<Fabric>(node_of_rank, limits)) {}
LoopbackFabric::LoopbackFabric(Rank rank_count, LoopbackLimits limits)
    : LoopbackFabric(std::vector<int32_t>(static_cast<size_t>(rank_count), 0), limits) {}
LoopbackFabric::~LoopbackFabric() = default;

Endpoint& LoopbackFabric::endpoint(Rank rank) {
  return fabric_->endpoint(rank);
}
Status LoopbackFabric::lead(Rank rank, Tag tag) {
  return fabric_->lead(rank, tag);
}
void LoopbackFabric::resign(Rank rank, Tag tag) {
  fabric_->resign(rank, tag);
}
void LoopbackFabric::fail() {
  fabric_->fail();
}
size_t LoopbackFabric::waiting_count() const {
  return fabric_->waiting_count();
}

}  // namespace tutti::transport
