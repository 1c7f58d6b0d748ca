#include "offload/compile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <utility>

namespace tutti::offload {

using base::Result;
using base::Status;
using schedule::Peer;
using schedule::Schedule;
using schedule::Task;
using schedule::TaskId;
using schedule::TaskKind;

namespace {

/// Arrivals by task, in ascending order.
using Arrivals = std::vector<TaskId>;

Status check_task(const Task& task, TaskId id) {
  const auto refuse = [&](const char* why) {
    return Status::not_supported(fmt::format("task {} {}", id, why));
  };
  switch (task.kind) {
    case TaskKind::nop:
      return {};
    case TaskKind::copy:
    case TaskKind::reduce:
      return refuse("works on data, which a barrier's descriptor has none of");
    case TaskKind::send:
    case TaskKind::recv:
      break;
  }
  if (!task.source.empty() || !task.target.empty())
    return refuse("carries data, which a barrier's descriptor has none of");
  if (task.peer.kind == Peer::Kind::local) return refuse("stays inside its node, which no NIC sees");
  if (task.peer.kind == Peer::Kind::node) return refuse("speaks to a node, not to a rank");
  return {};
}

Status check_tasks(const Schedule& schedule) {
  constexpr size_t k_most_messages = k_most_rounds * k_most_peers;
  size_t sends = 0, arrivals = 0;
  for (TaskId id = 0; id < schedule.size(); ++id) {
    const Task& task = schedule.tasks()[id];
    if (auto status = check_task(task, id); !status) return status;
    sends += task.kind == TaskKind::send ? 1 : 0;
    arrivals += task.kind == TaskKind::recv ? 1 : 0;
  }
  if (std::max(sends, arrivals) > k_most_messages)
    return Status::not_supported(fmt::format("{} messages one way; {} rounds of {} hold {}",
                                             std::max(sends, arrivals), k_most_rounds, k_most_peers,
                                             k_most_messages));
  return {};
}

/// The arrivals that each task waits for, directly or indirectly. Tasks come after those that they wait for.
std::vector<Arrivals> arrivals_before(const Schedule& schedule) {
  std::vector<Arrivals> before(schedule.size());
  for (TaskId id = 0; id < schedule.size(); ++id) {
    Arrivals known = before[id];
    if (schedule.tasks()[id].kind == TaskKind::recv)
      known.insert(std::upper_bound(known.begin(), known.end(), id), id);
    for (const TaskId next : schedule.successors(id)) {
      Arrivals both;
      std::set_union(before[next].begin(), before[next].end(), known.begin(), known.end(),
                     std::back_inserter(both));
      before[next] = std::move(both);
    }
  }
  return before;
}

NodeId node_of(const Task& task) {
  return static_cast<NodeId>(task.peer.index);
}

/// Rejects rounds that a descriptor cannot express, in the terms of a schedule.
Status check_rounds(std::span<const Round> rounds) {
  if (rounds.size() > k_most_rounds)
    return Status::not_supported(fmt::format("{} rounds; a descriptor has {}", rounds.size(), k_most_rounds));
  for (size_t r = 0; r < rounds.size(); ++r)
    for (const std::vector<NodeId>* peers : {&rounds[r].sends, &rounds[r].receives}) {
      if (peers->size() > k_most_peers)
        return Status::not_supported(
            fmt::format("round {} has {} messages one way, more than {}", r, peers->size(), k_most_peers));
      std::vector<NodeId> sorted = *peers;
      std::sort(sorted.begin(), sorted.end());
      if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
        return Status::not_supported(
            fmt::format("round {} has two messages with rank {} one way", r, *twice));
    }
  return {};
}

/// Assigns a round to the messages of all ranks.
class JointCompiler {
 public:
  explicit JointCompiler(std::span<const Schedule> every_rank)
      : schedules_(every_rank), depth_(every_rank.size()) {
    for (size_t rank = 0; rank < every_rank.size(); ++rank) depth_[rank].resize(every_rank[rank].size());
  }

  Result<std::vector<std::vector<Round>>> compile() {
    if (auto status = match(); !status) return status;
    if (auto status = count(); !status) return status;
    std::vector<std::vector<Round>> all(schedules_.size());
    for (size_t rank = 0; rank < all.size(); ++rank) {
      for (TaskId id = 0; id < schedules_[rank].size(); ++id) place(all[rank], rank, id);
      if (auto status = check_rounds(all[rank]); !status)
        return Status::not_supported(fmt::format("rank {}: {}", rank, status.message()));
    }
    return all;
  }

 private:
  struct Place {
    size_t rank;
    TaskId task;
    auto operator<=>(const Place&) const = default;
  };

  const Task& task(const Place& place) const { return schedules_[place.rank].tasks()[place.task]; }
  /// Number of rounds that must complete before the task.
  uint32_t& depth(const Place& place) { return depth_[place.rank][place.task]; }

  /// Matches the n-th send of a channel with its n-th receive.
  Status match() {
    std::map<std::pair<size_t, size_t>, std::deque<Place>> sent;
    for (size_t rank = 0; rank < schedules_.size(); ++rank)
      for (TaskId id = 0; id < schedules_[rank].size(); ++id)
        if (const Place at{rank, id}; task(at).kind == TaskKind::send)
          sent[{rank, node_of(task(at))}].push_back(at);
    for (size_t rank = 0; rank < schedules_.size(); ++rank)
      for (TaskId id = 0; id < schedules_[rank].size(); ++id) {
        const Place at{rank, id};
        if (task(at).kind != TaskKind::recv) continue;
        const auto channel = sent.find({node_of(task(at)), rank});
        if (channel == sent.end() || channel->second.empty())
          return Status::not_supported(fmt::format("rank {}: task {} waits for rank {}, which sends nothing",
                                                   rank, id, node_of(task(at))));
        arrival_of_[channel->second.front()] = at;
        send_of_[at] = channel->second.front();
        channel->second.pop_front();
      }
    for (const auto& [channel, left] : sent)
      if (!left.empty())
        return Status::not_supported(
            fmt::format("rank {}: task {} signals rank {}, which does not wait for it", channel.first,
                        left.front().task, channel.second));
    return {};
  }

  /// Follows every chain of messages through all ranks at once.
  Status count() {
    std::vector<std::vector<uint32_t>> waits(schedules_.size());
    std::vector<Place> ready;
    size_t left = 0;
    for (size_t rank = 0; rank < schedules_.size(); ++rank) {
      const auto indegrees = schedules_[rank].indegrees();
      waits[rank].assign(indegrees.begin(), indegrees.end());
      for (TaskId id = 0; id < schedules_[rank].size(); ++id, ++left) {
        if (task({rank, id}).kind == TaskKind::recv) ++waits[rank][id];  // for its message
        if (waits[rank][id] == 0) ready.push_back({rank, id});
      }
    }
    const auto reach = [&](const Place& next, uint32_t rounds) {
      depth(next) = std::max(depth(next), rounds);
      if (--waits[next.rank][next.task] == 0) ready.push_back(next);
    };
    for (; !ready.empty(); --left) {
      const Place at = ready.back();
      ready.pop_back();
      for (const TaskId next : schedules_[at.rank].successors(at.task)) reach({at.rank, next}, depth(at));
      // A message has arrived once its round is over.
      if (task(at).kind == TaskKind::send) reach(arrival_of_.at(at), depth(at) + 1);
    }
    return left == 0 ? Status{} : Status::not_supported("the ranks wait for each other in a circle");
  }

  void place(std::vector<Round>& rounds, size_t rank, TaskId id) {
    const Place at{rank, id};
    if (task(at).kind != TaskKind::send && task(at).kind != TaskKind::recv) return;
    const bool sends = task(at).kind == TaskKind::send;
    const size_t round = sends ? depth(at) : depth(send_of_.at(at));
    if (rounds.size() <= round) rounds.resize(round + 1);
    (sends ? rounds[round].sends : rounds[round].receives).push_back(node_of(task(at)));
  }

  std::span<const Schedule> schedules_;
  std::vector<std::vector<uint32_t>> depth_;
  std::map<Place, Place> arrival_of_, send_of_;
};

}  // namespace

Result<std::vector<Round>> compile(const Schedule& schedule) {
  if (auto status = check_tasks(schedule); !status) return status;
  const std::vector<Arrivals> before = arrivals_before(schedule);
  std::vector<TaskId> sends;
  for (TaskId id = 0; id < schedule.size(); ++id)
    if (schedule.tasks()[id].kind == TaskKind::send) sends.push_back(id);
  std::stable_sort(sends.begin(), sends.end(),
                   [&](TaskId a, TaskId b) { return before[a].size() < before[b].size(); });

  std::vector<Round> rounds;
  Arrivals heard;  // all arrivals that the sends of the last round wait for
  const auto close_round = [&](const Arrivals& now) {
    Arrivals news;
    std::set_difference(now.begin(), now.end(), heard.begin(), heard.end(), std::back_inserter(news));
    if (rounds.empty()) rounds.emplace_back();
    for (const TaskId id : news) rounds.back().receives.push_back(node_of(schedule.tasks()[id]));
    heard = now;
  };
  for (const TaskId id : sends) {
    const Arrivals& now = before[id];
    if (!std::includes(now.begin(), now.end(), heard.begin(), heard.end()))
      return Status::not_supported(fmt::format(
          "task {} waits for other arrivals than an earlier send, not for those and more: no rounds", id));
    if (now != heard) {
      close_round(now);
      rounds.emplace_back();
    }
    if (rounds.empty()) rounds.emplace_back();
    rounds.back().sends.push_back(node_of(schedule.tasks()[id]));
  }
  Arrivals every;
  for (TaskId id = 0; id < schedule.size(); ++id)
    if (schedule.tasks()[id].kind == TaskKind::recv) every.push_back(id);
  if (every != heard) close_round(every);
  if (auto status = check_rounds(rounds); !status) return status;
  return rounds;
}

Result<std::vector<std::vector<Round>>> compile_all(std::span<const Schedule> every_rank) {
  for (size_t rank = 0; rank < every_rank.size(); ++rank)
    if (auto status = check_tasks(every_rank[rank]); !status)
      return Status::not_supported(fmt::format("rank {}: {}", rank, status.message()));
  return JointCompiler(every_rank).compile();
}

}  // namespace tutti::offload
