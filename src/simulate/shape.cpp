#include "simulate/shape.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tutti::simulate {

using schedule::Peer;
using schedule::Schedule;
using schedule::Task;

namespace {

Address address_of(const Peer& peer, Actor self, uint32_t actors) {
  const auto index = static_cast<uint32_t>(peer.index);
  if (peer.kind == Peer::Kind::node) return {.is_node = true, .where = index};
  return {.is_local = peer.kind == Peer::Kind::local,
          .where = index >= self ? index - self : index + actors - self};
}

bool is_transfer(TaskKind kind) {
  return kind == TaskKind::send || kind == TaskKind::recv;
}

}  // namespace

Shape::Shape(const Schedule& schedule, Actor self, uint32_t actors) {
  const auto tasks = schedule.tasks();
  const auto count = static_cast<uint32_t>(tasks.size());
  steps_.reserve(count);
  first_successor_.reserve(count + 1);
  indegrees_.assign(schedule.indegrees().begin(), schedule.indegrees().end());
  for (TaskId id = 0; id < count; ++id) {
    const Task& task = tasks[id];
    steps_.push_back({.kind = task.kind,
                      .priority = task.priority,
                      .bytes = task.kind == TaskKind::send ? task.source.length : task.target.length});
    first_successor_.push_back(static_cast<uint32_t>(successors_.size()));
    const auto next = schedule.successors(id);
    successors_.insert(successors_.end(), next.begin(), next.end());
    if (indegrees_[id] == 0) roots_.push_back(id);
  }
  first_successor_.push_back(static_cast<uint32_t>(successors_.size()));
  find_channels(schedule, self, actors);
  compute_hash();
}

void Shape::find_channels(const Schedule& schedule, Actor self, uint32_t actors) {
  struct Transfer {
    bool is_receive;
    Address peer;
    TaskId id;
  };
  std::vector<Transfer> transfers;
  for (TaskId id = 0; id < size(); ++id)
    if (is_transfer(steps_[id].kind))
      transfers.push_back(
          {steps_[id].kind == TaskKind::recv, address_of(schedule.tasks()[id].peer, self, actors), id});
  std::ranges::sort(transfers, {},
                    [](const Transfer& of) { return std::tuple(of.is_receive, of.peer, of.id); });
  channel_tasks_.reserve(transfers.size());
  for (const Transfer& transfer : transfers) {
    const bool is_send = !transfer.is_receive;
    if (channels_.empty() || channels_.back().is_send != is_send || channels_.back().peer != transfer.peer)
      channels_.push_back({is_send, transfer.peer, static_cast<uint32_t>(channel_tasks_.size()), 0});
    Step& step = steps_[transfer.id];
    step.channel = static_cast<uint32_t>(channels_.size() - 1);
    step.place = channels_.back().count++;
    channel_tasks_.push_back(transfer.id);
  }
  first_receive_ =
      static_cast<uint32_t>(std::ranges::find(channels_, false, &ShapeChannel::is_send) - channels_.begin());
}

TaskId Shape::find(std::span<const ShapeChannel> channels, const Address& peer, uint32_t place) const {
  const auto found = std::ranges::lower_bound(channels, peer, {}, &ShapeChannel::peer);
  if (found == channels.end() || found->peer != peer || place >= found->count) return k_none;
  return channel_task(*found, place);
}

bool Shape::operator==(const Shape& other) const {
  const auto key = [](const Step& step) {
    return std::tuple(step.kind, step.priority, step.channel, step.bytes);
  };
  const auto channel_key = [](const ShapeChannel& channel) {
    return std::tuple(channel.is_send, channel.peer, channel.count);
  };
  return indegrees_ == other.indegrees_ && successors_ == other.successors_ &&
         first_successor_ == other.first_successor_ && channel_tasks_ == other.channel_tasks_ &&
         std::ranges::equal(steps_, other.steps_, {}, key, key) &&
         std::ranges::equal(channels_, other.channels_, {}, channel_key, channel_key);
}

void Shape::compute_hash() {
  const auto mix = [this](uint64_t value) {
    hash_ = (hash_ ^ value) * 0x9e3779b97f4a7c15u;
    hash_ ^= hash_ >> 29;
  };
  for (const Step& step : steps_)
    mix(step.bytes << 8 ^ uint64_t{step.channel} << 2 ^ static_cast<uint64_t>(step.kind));
  for (const ShapeChannel& channel : channels_) mix(uint64_t{channel.peer.where} << 20 ^ channel.count);
  for (const TaskId id : successors_) mix(id);
}

const Shape* ShapeTable::intern(Shape shape) {
  const auto [first, last] = shapes_.equal_range(shape.hash());
  for (auto it = first; it != last; ++it)
    if (*it->second == shape) return it->second.get();
  const size_t hash = shape.hash();
  return shapes_.emplace(hash, std::make_unique<const Shape>(std::move(shape)))->second.get();
}

}  // namespace tutti::simulate
