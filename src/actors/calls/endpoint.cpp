#include "actors/calls/endpoint.hpp"

#include <algorithm>
#include <utility>

#include "actors/calls/container_services.hpp"
#include "actors/calls/rank.hpp"

namespace tutti::actors {

using base::Status;
using transport::Peer;

/// Must not move until its operation is done.
struct Endpoint::Transfer {
  uint64_t cookie = 0;
  uint64_t bytes = 0;
  bool is_receive = false;
  Mailbox* mailbox = nullptr;  // the mailbox in which a receive is posted
  SendOperation send;
  ReceiveOperation receive;

  bool is_done() const { return is_receive ? receive.is_done() : send.is_done(); }
  transport::Completion completion() const {
    if (is_receive && receive.delivery().is_cancelled) return transport::cancelled(cookie);
    const bool has_right_length = !is_receive || receive.delivery().bytes == bytes;
    return {.cookie = cookie, .code = has_right_length ? base::Code::ok : base::Code::invalid_argument};
  }
};

Endpoint::Endpoint(Rank& me, const Communicator& on, ContainerGroupKey group,
                   const topology::Topology& topology)
    : me_(me), on_(on), group_(group), topology_(topology) {}

Endpoint::~Endpoint() = default;

Endpoint::Transfer& Endpoint::begin(uint64_t cookie) {
  if (idle_.empty()) idle_.push_back(std::make_unique<Transfer>());
  active_.push_back(std::move(idle_.back()));
  idle_.pop_back();
  active_.back()->cookie = cookie;
  return *active_.back();
}

int Endpoint::container_of_node(int32_t node) const {
  const auto member = static_cast<size_t>(topology_.ranks_of(node)[0]);
  return me_.container().rank_map().leader_of(on_.members()[member]);
}

Status Endpoint::send(Peer to, transport::Tag tag, transport::ConstBytes data, uint64_t cookie) {
  Transfer& transfer = begin(cookie);
  transfer.is_receive = false;
  const auto number = static_cast<int32_t>(tag & INT32_MAX);
  if (to.kind == Peer::Kind::node)
    me_.container().send_to_group(me_, container_of_node(to.index), group_,
                                  {.context = group_, .source = topology_.node_of(on_.rank()), .tag = number},
                                  data, &transfer.send);
  else
    me_.container().send(me_, on_.members()[static_cast<size_t>(to.index)],
                         {.context = group_, .source = on_.rank(), .tag = number}, data, SendMode::standard,
                         &transfer.send);
  return {};
}

Status Endpoint::recv(Peer from, transport::Tag tag, transport::Bytes data, uint64_t cookie) {
  Transfer& transfer = begin(cookie);
  transfer.is_receive = true;
  transfer.bytes = data.size();
  transfer.mailbox =
      from.kind == Peer::Kind::node ? &me_.container().group(group_).mailbox() : &me_.mailbox();
  transfer.mailbox->receive(
      {.context = group_, .source = from.index, .tag = static_cast<int32_t>(tag & INT32_MAX)}, data,
      &transfer.receive, me_.mailbox());
  return {};
}

size_t Endpoint::poll(std::span<transport::Completion> done) {
  size_t count = 0;
  for (size_t i = 0; i < active_.size() && count < done.size();) {
    if (!active_[i]->is_done()) {
      ++i;
      continue;
    }
    done[count++] = active_[i]->completion();
    idle_.push_back(std::move(active_[i]));
    active_.erase(active_.begin() + static_cast<ptrdiff_t>(i));
  }
  return count;
}

void Endpoint::detach_sends(DetachedSends* so_far) {
  std::shared_ptr<const DetachedCopy> copy;
  const std::byte* source = nullptr;
  for (const auto& transfer : active_) {
    SendOperation& send = transfer->send;
    if (transfer->is_receive || !send.can_be_let_go()) continue;
    const std::span<const std::byte> data = send.data();
    if (data.size() > so_far->most_bytes) {
      so_far->least_left = std::min<uint64_t>(so_far->least_left, data.size());
      continue;
    }
    if (copy == nullptr || source != data.data() || copy->data().size() != data.size())
      copy = DetachedCopy::of(data);
    if (copy == nullptr) continue;
    source = data.data();
    send.detach(copy);
    so_far->has_ended_some |= send.is_done();
  }
}

void Endpoint::cancel(uint64_t cookie) {
  for (const auto& transfer : active_)
    if (transfer->cookie == cookie && transfer->is_receive) transfer->mailbox->cancel(transfer->receive);
}

}  // namespace tutti::actors
