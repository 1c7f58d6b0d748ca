#include "simulate/goal_of_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "algorithm/block_forwarding.hpp"

namespace tutti::simulate {

using base::Status;
using schedule::Peer;
using schedule::Rank;
using schedule::Schedule;
using schedule::Task;
using schedule::TaskId;
using schedule::TaskKind;
using topology::Topology;

GoalOfRun::GoalOfRun(std::vector<uint32_t> node_of_rank, Machine machine)
    : node_of_rank_(std::move(node_of_rank)), machine_(std::move(machine)), last_(node_of_rank_.size()) {
  program_.ranks.resize(node_of_rank_.size());
  auto links = make_links(machine_, *std::max_element(node_of_rank_.begin(), node_of_rank_.end()) + 1);
  if (links)
    links_ = std::move(*links);
  else
    links_status_ = links.status();
}

Status GoalOfRun::add(const RecordedCall& call) {
  if (!links_status_) return links_status_;
  for (size_t i = 0; i < call.members.size(); ++i)
    begin(call.members[i], call.gaps_ns[i] + (call.is_size_known ? 0 : call.inside_ns[i]));
  if (!call.is_size_known) return {};
  std::vector<int32_t> nodes;
  for (const uint32_t member : call.members) nodes.push_back(static_cast<int32_t>(node_of_rank_[member]));
  const Topology topology = Topology::from_node_of_rank(nodes).value();
  const auto choice = choice_again(call, {}, topology, machine_, links_.get());
  if (!choice) return choice.status();
  const algorithm::UniformCall again = uniform_call(call, topology.rank_count());
  for (size_t i = 0; i < call.members.size(); ++i) {
    const auto rank = static_cast<Rank>(i);
    const auto schedule = algorithm::build_whole(*choice, algorithm::request_of(again, rank), rank, topology);
    if (!schedule) return schedule.status();
    add_schedule(call, i, *schedule, topology);
  }
  if (operations_ <= k_most_goal_operations) return {};
  return Status::not_supported(
      fmt::format("the program has more than {} operations; record fewer calls", k_most_goal_operations));
}

/// Adds the computation of the rank, after all its earlier operations.
void GoalOfRun::begin(uint32_t rank, uint64_t gap_ns) {
  const uint32_t gap =
      add_operation(rank, {.label = {}, .kind = GoalOperation::Kind::calc, .amount = gap_ns});
  for (const uint32_t before : last_[rank])
    program_.ranks[rank].orders.push_back({.after = gap, .before = before});
  last_[rank] = {gap};
}

uint32_t GoalOfRun::add_operation(uint32_t rank, GoalOperation operation) {
  std::vector<GoalOperation>& all = program_.ranks[rank].operations;
  operation.label = fmt::format("l{}", all.size());
  all.push_back(std::move(operation));
  ++operations_;
  return static_cast<uint32_t>(all.size() - 1);
}

void GoalOfRun::add_schedule(const RecordedCall& call, size_t member, const Schedule& schedule,
                             const Topology& topology) {
  if (schedule.size() == 0) return;
  const uint32_t rank = call.members[member];
  std::vector<GoalOrder>& orders = program_.ranks[rank].orders;
  const uint32_t gap = last_[rank].front();
  const auto first = static_cast<uint32_t>(program_.ranks[rank].operations.size());
  std::vector<bool> waits(schedule.size());
  last_[rank].clear();
  for (TaskId id = 0; id < schedule.size(); ++id) {
    add_operation(rank, operation_of(schedule.tasks()[id], call, topology));
    for (const TaskId next : schedule.successors(id)) {
      orders.push_back({.after = first + next, .before = first + id});
      waits[next] = true;
    }
    if (schedule.successors(id).empty()) last_[rank].push_back(first + id);
  }
  for (TaskId id = 0; id < schedule.size(); ++id)
    if (!waits[id]) orders.push_back({.after = first + id, .before = gap});
}

/// As schedule::print_goal(): the tag distinguishes the kinds of peers, and no message is empty.
GoalOperation GoalOfRun::operation_of(const Task& task, const RecordedCall& call,
                                      const Topology& topology) const {
  using Kind = GoalOperation::Kind;
  const auto calc = [](double ns) {
    return GoalOperation{.label = {}, .kind = Kind::calc, .amount = static_cast<uint64_t>(std::llround(ns))};
  };
  const auto message = [&](Kind kind, uint64_t bytes) {
    const Rank peer =
        task.peer.kind == Peer::Kind::node ? topology.leader_of(task.peer.index) : task.peer.index;
    return GoalOperation{
        .label = {},
        .kind = kind,
        .amount = std::max<uint64_t>(bytes, 1),
        .peer = static_cast<int32_t>(call.members[static_cast<size_t>(peer)]),
        .tag = static_cast<int32_t>(task.peer.kind) - static_cast<int32_t>(Peer::Kind::rank)};
  };
  switch (task.kind) {
    case TaskKind::send:
      return message(Kind::send, task.source.length);
    case TaskKind::recv:
      return message(Kind::recv, task.target.length);
    case TaskKind::copy:
      return calc(static_cast<double>(task.source.length) * machine_.copy_ns_per_byte);
    case TaskKind::reduce:
      return calc(static_cast<double>(task.source.length) * machine_.reduce_ns_per_byte);
    case TaskKind::nop:
      break;
  }
  return calc(0);
}

}  // namespace tutti::simulate
