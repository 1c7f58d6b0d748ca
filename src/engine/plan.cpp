#include "engine/plan.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

namespace tutti::engine {

using base::Result;
using base::Status;
using schedule::Peer;
using schedule::Task;
using schedule::TaskId;
using schedule::TaskKind;

namespace {

bool is_transfer(const Task& task) {
  return task.kind == TaskKind::send || task.kind == TaskKind::recv;
}

auto channel_key(const Task& task) {
  return std::tuple(task.kind, task.peer.index, task.peer.kind);
}

}  // namespace

Result<std::shared_ptr<const Plan>> Plan::make(schedule::Schedule schedule, Limits limits) {
  if (limits.window == 0)
    return Status::invalid_argument("window 0: at least one transfer has to be in flight");
  std::shared_ptr<Plan> plan(new Plan(std::move(schedule), limits));
  if (Status sound = plan->check_channels(); !sound) return sound;
  return std::shared_ptr<const Plan>(std::move(plan));
}

Plan::Plan(schedule::Schedule schedule, Limits limits) : schedule_(std::move(schedule)), limits_(limits) {
  for (TaskId id = 0; id < schedule_.size(); ++id)
    if (schedule_.indegree(id) == 0) roots_.push_back(id);
  find_needs();
  find_channels();
}

void Plan::find_needs() {
  for (const Task& task : schedule_.tasks()) {
    if (!task.source.empty()) slots_ |= 1u << static_cast<unsigned>(task.source.slot);
    if (!task.target.empty()) slots_ |= 1u << static_cast<unsigned>(task.target.slot);
    peers_ |= 1u << static_cast<unsigned>(task.peer.kind);
    if (task.kind != TaskKind::reduce) continue;
    reduces_ = true;
    if (task.order == schedule::OperandOrder::target_first)
      swap_bytes_ = std::max(swap_bytes_, task.target.length);
  }
}

void Plan::find_channels() {
  const std::span<const Task> tasks = schedule_.tasks();
  for (TaskId id = 0; id < tasks.size(); ++id)
    if (is_transfer(tasks[id])) channel_tasks_.push_back(id);
  std::ranges::stable_sort(channel_tasks_, {}, [&](TaskId id) { return channel_key(tasks[id]); });

  channel_of_.assign(tasks.size(), k_no_channel);
  for (size_t first = 0, end = 0; first < channel_tasks_.size(); first = end) {
    const Task& task = tasks[channel_tasks_[first]];
    while (end < channel_tasks_.size() && channel_key(tasks[channel_tasks_[end]]) == channel_key(task))
      channel_of_[channel_tasks_[end++]] = static_cast<uint32_t>(channels_.size());
    channels_.push_back({.peer = task.peer,
                         .direction = task.kind == TaskKind::send ? Direction::send : Direction::recv,
                         .tasks = {channel_tasks_.data() + first, end - first}});
  }
}

Status Plan::check_channels() const {
  for (size_t i = 1; i < channels_.size(); ++i) {
    const Channel &one = channels_[i - 1], &other = channels_[i];  // sorted: one rank's are adjacent
    if (one.direction != other.direction || one.peer.index != other.peer.index) continue;
    if (one.peer.kind == Peer::Kind::rank && other.peer.kind == Peer::Kind::local)
      return Status::internal("the schedule reaches rank " + std::to_string(one.peer.index) +
                              " both over the network and inside the node");
  }
  return {};
}

size_t Plan::footprint_bytes() const {
  return sizeof *this - sizeof schedule_ + schedule_.footprint_bytes() +
         channels_.capacity() * sizeof(Channel) + channel_tasks_.capacity() * sizeof(TaskId) +
         channel_of_.capacity() * sizeof(uint32_t) + roots_.capacity() * sizeof(TaskId);
}

}  // namespace tutti::engine
