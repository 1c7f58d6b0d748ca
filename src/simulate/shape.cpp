#include "simulate/shape.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tutti::simulate {

using schedule::Peer;
using schedule::Schedule;
using schedule::Task;
using schedule::TaskKind;

namespace {

Address address_of(const Peer& peer, Actor self, uint32_t actors) {
  const auto index = static_cast<uint32_t>(peer.index);
  if (peer.kind == Peer::Kind::node) return {.is_node = true, .where = index};
  return {.is_local = peer.kind == Peer::Kind::local, .where = distance(index, self, actors)};
}

Address address_of(const GoalOperation& operation, Actor self, uint32_t actors) {
  Address address{.is_any_source = operation.peer == k_any, .is_any_tag = operation.tag == k_any};
  if (!address.is_any_source) address.where = distance(static_cast<uint32_t>(operation.peer), self, actors);
  if (!address.is_any_tag) address.tag = static_cast<uint64_t>(operation.tag);
  return address;
}

StepKind kind_of(TaskKind kind) {
  switch (kind) {
    case TaskKind::send:
      return StepKind::send;
    case TaskKind::recv:
      return StepKind::recv;
    case TaskKind::copy:
      return StepKind::copy;
    case TaskKind::reduce:
      return StepKind::reduce;
    case TaskKind::nop:
      break;
  }
  return StepKind::nop;
}

}  // namespace

Shape::Shape(const Schedule& schedule, Actor self, uint32_t actors) {
  const auto tasks = schedule.tasks();
  const auto count = static_cast<uint32_t>(tasks.size());
  steps_.reserve(count);
  ended_.first.reserve(count + 1);
  indegrees_.assign(schedule.indegrees().begin(), schedule.indegrees().end());
  std::vector<Transfer> transfers;
  for (TaskId id = 0; id < count; ++id) {
    const Task& task = tasks[id];
    const bool is_receive = task.kind == TaskKind::recv, is_send = task.kind == TaskKind::send;
    steps_.push_back({.kind = kind_of(task.kind),
                      .priority = task.priority,
                      .bytes = is_send ? task.source.length : task.target.length});
    ended_.first.push_back(static_cast<uint32_t>(ended_.ids.size()));
    const auto next = schedule.successors(id);
    ended_.ids.insert(ended_.ids.end(), next.begin(), next.end());
    if (is_send || is_receive) transfers.push_back({is_receive, address_of(task.peer, self, actors), id});
  }
  ended_.first.push_back(static_cast<uint32_t>(ended_.ids.size()));
  find_roots();
  find_channels(std::move(transfers));
  compute_hash();
}

Shape::Shape(const GoalRank& rank, Actor self, uint32_t actors) {
  constexpr uint64_t k_ps_in_ns = 1000;
  const auto count = static_cast<uint32_t>(rank.operations.size());
  indegrees_.assign(count, 0);
  std::vector<uint16_t> cpus;  // the used CPUs, sorted; a program may number them arbitrarily
  for (const GoalOperation& operation : rank.operations) cpus.push_back(operation.cpu);
  std::ranges::sort(cpus);
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  cpu_count_ = std::max<uint32_t>(1, static_cast<uint32_t>(cpus.size()));
  std::vector<Transfer> transfers;
  for (TaskId id = 0; id < count; ++id) {
    const GoalOperation& operation = rank.operations[id];
    const bool is_calc = operation.kind == GoalOperation::Kind::calc;
    const bool is_receive = operation.kind == GoalOperation::Kind::recv;
    steps_.push_back(
        {.kind = is_calc      ? StepKind::calc
                 : is_receive ? StepKind::recv
                              : StepKind::send,
         .cpu = static_cast<uint16_t>(std::ranges::lower_bound(cpus, operation.cpu) - cpus.begin()),
         .bytes = operation.amount * (is_calc ? k_ps_in_ns : 1)});
    if (!is_calc) transfers.push_back({is_receive, address_of(operation, self, actors), id});
  }
  for (const GoalOrder& order : rank.orders) ++indegrees_[order.after];
  ended_ = lists_of(rank.orders, false, count);
  begun_ = lists_of(rank.orders, true, count);
  find_roots();
  find_channels(std::move(transfers));
  compute_hash();
}

Shape::Lists Shape::lists_of(std::span<const GoalOrder> orders, bool at_start, uint32_t tasks) {
  Lists lists{.first = std::vector<uint32_t>(tasks + 1)};
  for (const GoalOrder& order : orders)
    if (order.at_start == at_start) ++lists.first[order.before + 1];
  for (uint32_t id = 0; id < tasks; ++id) lists.first[id + 1] += lists.first[id];
  if (lists.first.back() == 0) return {};
  lists.ids.resize(lists.first.back());
  std::vector<uint32_t> next(lists.first.begin(), lists.first.end() - 1);
  for (const GoalOrder& order : orders)
    if (order.at_start == at_start) lists.ids[next[order.before]++] = order.after;
  return lists;
}

void Shape::find_roots() {
  for (TaskId id = 0; id < size(); ++id)
    if (indegrees_[id] == 0) roots_.push_back(id);
}

void Shape::find_channels(std::vector<Transfer> transfers) {
  std::ranges::sort(transfers, {},
                    [](const Transfer& of) { return std::tuple(of.is_receive, of.peer, of.id); });
  channel_tasks_.reserve(transfers.size());
  for (const Transfer& transfer : transfers) {
    const bool is_send = !transfer.is_receive;
    if (channels_.empty() || channels_.back().is_send != is_send || channels_.back().peer != transfer.peer) {
      channels_.push_back({is_send, transfer.peer, static_cast<uint32_t>(channel_tasks_.size()), 0});
      if (is_send) ++first_receive_;
      if (transfer.peer.is_any()) ++wild_count_;
    }
    Step& step = steps_[transfer.id];
    step.channel = static_cast<uint32_t>(channels_.size() - 1);
    step.place = channels_.back().count++;
    channel_tasks_.push_back(transfer.id);
  }
}

TaskId Shape::find(std::span<const ShapeChannel> channels, const Address& peer, uint32_t place) const {
  const auto found = std::ranges::lower_bound(channels, peer, {}, &ShapeChannel::peer);
  if (found == channels.end() || found->peer != peer || place >= found->count) return k_none;
  return channel_task(*found, place);
}

bool Shape::operator==(const Shape& other) const {
  const auto key = [](const Step& step) {
    return std::tuple(step.kind, step.cpu, step.priority, step.channel, step.bytes);
  };
  const auto channel_key = [](const ShapeChannel& channel) {
    return std::tuple(channel.is_send, channel.peer, channel.count);
  };
  return indegrees_ == other.indegrees_ && ended_ == other.ended_ && begun_ == other.begun_ &&
         channel_tasks_ == other.channel_tasks_ && std::ranges::equal(steps_, other.steps_, {}, key, key) &&
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
  for (const TaskId id : ended_.ids) mix(id);
}

const Shape* ShapeTable::intern(Shape shape) {
  const auto [first, last] = shapes_.equal_range(shape.hash());
  for (auto it = first; it != last; ++it)
    if (*it->second == shape) return it->second.get();
  const size_t hash = shape.hash();
  return shapes_.emplace(hash, std::make_unique<const Shape>(std::move(shape)))->second.get();
}

}  // namespace tutti::simulate
