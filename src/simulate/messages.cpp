// SimulatedExecution: handling of messages.

#include <fmt/format.h>

#include <algorithm>

#include "simulate/simulated_execution.hpp"

namespace tutti::simulate {

using base::Status;

namespace {

uint64_t key_of(Actor actor, TaskId task) {
  return uint64_t{actor} << 32 | task;
}

}  // namespace

const ShapeChannel& SimulatedExecution::channel_of(Actor actor, TaskId task) const {
  const Shape& shape = *shapes_[actor];
  return shape.channels()[shape.step(task).channel];
}

Actor SimulatedExecution::peer_of(Actor self, const Address& peer) const {
  if (peer.is_node) return cast_.leader_of(peer.where);
  const auto actors = static_cast<uint32_t>(actors_.size());
  const uint32_t to_end = actors - self;
  return peer.where < to_end ? self + peer.where : peer.where - to_end;
}

/// The send that `task` receives from; known for wildcards once a message has been matched.
Sent SimulatedExecution::partner_of(Actor receiver, TaskId task) const {
  const ShapeChannel& channel = channel_of(receiver, task);
  if (channel.peer.is_any()) return wild_senders_.at(key_of(receiver, task));
  const Actor sender = peer_of(receiver, channel.peer);
  const uint32_t place = shapes_[receiver]->step(task).place;
  return {sender, shapes_[sender]->find_send(seen_from(sender, receiver, channel.peer), place)};
}

/// Node on the other side of a message; for wildcard receives only after a match.
uint32_t SimulatedExecution::node_of_peer(Actor actor, TaskId task) const {
  const ShapeChannel& channel = channel_of(actor, task);
  if (channel.peer.is_node) return channel.peer.where;
  return nodes_of_[channel.peer.is_any() ? partner_of(actor, task).sender : peer_of(actor, channel.peer)];
}

/// Address under which `self` sees `peer`, which sees it as `as`.
Address SimulatedExecution::seen_from(Actor self, Actor peer, const Address& as) const {
  if (as.is_node) return {.is_node = true, .where = nodes_of_[peer]};
  const auto actors = static_cast<uint32_t>(actors_.size());
  return {.is_local = as.is_local, .where = distance(peer, self, actors), .tag = as.tag};
}

/// Size of the message, which may be shorter than the receive.
uint64_t SimulatedExecution::bytes_of(Actor actor, TaskId task) const {
  if (!shorter_.empty())
    if (const auto found = shorter_.find(key_of(actor, task)); found != shorter_.end()) return found->second;
  return shapes_[actor]->step(task).bytes;
}

bool SimulatedExecution::is_eager(Actor sender, TaskId task) const {
  return bytes_of(sender, task) <= (is_inside(sender, task) ? costs_.local_eager_bytes : costs_.eager_bytes);
}

/// The NIC sends messages in the order in which their sends begin; `from`: time at which the CPU has started it.
void SimulatedExecution::inject(Actor sender, TaskId task, uint64_t from) {
  Node& node = nodes_[nodes_of_[sender]];
  const uint64_t begin = std::max(from, node.out_free);
  node.out_free = later(begin, costs_.nic.of_message(bytes_of(sender, task)));
  if (actors_[sender]->stage(task) == Stage::invited)
    events_.add(node.out_free, {.kind = Kind::sent, .actor = sender, .task = task});
  Event event{.kind = Kind::head, .actor = sender, .task = task};
  if (topology_ != nullptr) {
    const interconnect::Peer at = topology_->attachment(nodes_of_[sender]);
    event.kind = Kind::hop;
    event.port = static_cast<uint16_t>(at.port);
    event.where = at.router;
  }
  events_.add(begin + costs_.latency_ps, event);
}

/// A link carries one message at a time; the head of a message moves on before the rest has arrived (cut-through).
void SimulatedExecution::hop(const Event& event) {
  const uint32_t source = nodes_of_[event.actor], destination = node_of_peer(event.actor, event.task);
  const interconnect::Step step = topology_->route(event.where, event.port, event.lane, source, destination);
  const interconnect::Peer next = topology_->peer(event.where, step.port);
  Event onwards{.kind = Kind::head, .actor = event.actor, .task = event.task};
  uint64_t begin = now_;
  if (next.router != interconnect::k_nowhere) {
    const uint64_t bytes = bytes_of(event.actor, event.task);
    uint64_t& free = links_free_[size_t{event.where} * topology_->ports() + step.port];
    begin = std::max(begin, free);
    free = later(begin, costs_.link.of_message(bytes));
    if (topology_->is_global(event.where, step.port)) outcome_.counters.global_bytes += bytes;
    onwards.kind = Kind::hop;
    onwards.lane = static_cast<uint8_t>(step.lane);
    onwards.port = static_cast<uint16_t>(next.port);
    onwards.where = next.router;
  }
  events_.add(begin + costs_.hop_ps, onwards);
}

void SimulatedExecution::come_in(const Event& event) {
  Node& node = nodes_[node_of_peer(event.actor, event.task)];
  const uint64_t begin = std::max(now_, node.in_free),
                 busy = costs_.nic.of_message(bytes_of(event.actor, event.task));
  node.in_free = later(begin, busy);
  events_.add(begin + busy - costs_.nic.once_ps,
              {.kind = Kind::data, .actor = event.actor, .task = event.task});
}

/// The task that receives the message, or k_none. A match is permanent.
TaskId SimulatedExecution::receive_of(Actor receiver, const Event& event) {
  const Shape& shape = *shapes_[receiver];
  const Address from = seen_from(receiver, event.actor, channel_of(event.actor, event.task).peer);
  const TaskId task = shape.find_receive(from, shapes_[event.actor]->step(event.task).place);
  return task != k_none || shape.wild_receives().empty() ? task : wild_receive_of(receiver, event, from);
}

/// Messages are matched to wildcard receives in the order of arrival, and these receives are used in task order.
TaskId SimulatedExecution::wild_receive_of(Actor receiver, const Event& event, const Address& from) {
  const Shape& shape = *shapes_[receiver];
  const uint64_t key = key_of(event.actor, event.task);
  if (const auto asked = wild_receives_.find(key); asked != wild_receives_.end()) return asked->second;
  ActorState& state = *actors_[receiver];
  TaskId first = k_none;
  for (const ShapeChannel& channel : shape.wild_receives())
    if (const uint32_t matched = state.matched(shape.index_of(channel));
        channel.peer.takes(from) && matched < channel.count)
      first = std::min(first, shape.channel_task(channel, matched));
  if (first == k_none) return first;
  ++state.matched(shape.step(first).channel);
  wild_receives_[key] = first;
  wild_senders_[key_of(receiver, first)] = {event.actor, event.task};
  return first;
}

void SimulatedExecution::deliver(const Event& event) {
  const ShapeChannel& channel = channel_of(event.actor, event.task);
  const Actor receiver = peer_of(event.actor, channel.peer);
  if (receiver == k_none) return nodes_[channel.peer.where].parked.push_back(event);
  if (shapes_[receiver] == nullptr) return early_[receiver].push_back(event);
  const TaskId task = actors_[receiver] == nullptr ? k_none : receive_of(receiver, event);
  if (task == k_none) return fail(name_of(event.actor, event.task) + ": no rank receives this message");
  if (const uint64_t expected = bytes_of(receiver, task), sent = bytes_of(event.actor, event.task);
      expected < sent)
    return fail(fmt::format("{} has {} bytes, but {} has room for {}", name_of(event.actor, event.task), sent,
                            name_of(receiver, task), expected));
  else if (sent < expected)
    shorter_[key_of(receiver, task)] = sent;
  ActorState& state = *actors_[receiver];
  Stage& stage = state.stage(task);
  const bool has_started = stage != Stage::waits;
  const bool is_data = event.kind == Kind::data;
  stage =
      has_started ? (is_data ? Stage::arrived : Stage::announced) : (is_data ? Stage::here : Stage::asked);
  if (!has_started) return;
  state.push_message(task);
  run(receiver);
}

/// Answers the request of a sender: between nodes the message may follow; inside a node it has been copied.
void SimulatedExecution::answer(Actor receiver, TaskId task) {
  const Sent sent = partner_of(receiver, task);
  const bool is_local = is_inside(receiver, task);
  events_.add(now_ + (is_local ? costs_.local_latency_ps : costs_.latency_ps),
              {.kind = is_local ? Kind::sent : Kind::invite, .actor = sent.sender, .task = sent.task});
}

std::string SimulatedExecution::name_of(Actor actor, TaskId task) const {
  return fmt::format("rank {} task {}", actor, task);
}

std::string SimulatedExecution::name_of(Actor self, const Address& peer) const {
  if (peer.is_any_source) return "any rank";
  return peer.is_node ? fmt::format("node {}", peer.where) : fmt::format("rank {}", peer_of(self, peer));
}

Status SimulatedExecution::why_unfinished() const {
  for (Actor actor = 0; actor < actors_.size(); ++actor) {
    if (actors_[actor] == nullptr) continue;
    ActorState& state = *actors_[actor];
    for (TaskId id = 0; id < state.shape.size(); ++id)
      if (state.stage(id) == Stage::started)
        return Status::internal(fmt::format("{} ranks do not come to an end: {} waits for {}", open_actors_,
                                            name_of(actor, id), name_of(actor, channel_of(actor, id).peer)));
  }
  return Status::internal(fmt::format("{} ranks do not come to an end", open_actors_));
}

}  // namespace tutti::simulate
