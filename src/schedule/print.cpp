#include "schedule/print.hpp"

#include <map>
#include <tuple>
#include <vector>

namespace tutti::schedule {

namespace {

/// The predecessors of each task of a schedule.
std::vector<std::vector<TaskId>> predecessors(const Schedule& schedule) {
  std::vector<std::vector<TaskId>> before(schedule.size());
  for (TaskId id = 0; id < schedule.size(); ++id)
    for (TaskId next : schedule.successors(id)) before[next].push_back(id);
  return before;
}

bool is_message(const Task& task) {
  return task.kind == TaskKind::send || task.kind == TaskKind::recv;
}

/// The rank that a peer denotes; -1 if there is none.
Rank resolve(const Peer& peer, std::span<const Rank> leader_of_node) {
  if (peer.kind != Peer::Kind::node) return peer.index;
  const auto node = static_cast<size_t>(peer.index);
  return peer.index >= 0 && node < leader_of_node.size() ? leader_of_node[node] : -1;
}

std::string node_name(size_t rank, TaskId id) {
  return "r" + std::to_string(rank) + "_" + std::to_string(id);
}

/// Dashed arrows from sends to receives, matched by the channel rule.
std::string message_edges(std::span<const Schedule> every_rank, std::span<const Rank> leader_of_node) {
  using Channel = std::tuple<Peer::Kind, Rank, Rank>;  // from, to
  std::map<Channel, std::vector<TaskId>> sends, recvs;
  for (size_t r = 0; r < every_rank.size(); ++r) {
    const Rank me = static_cast<Rank>(r);
    for (TaskId id = 0; id < every_rank[r].size(); ++id) {
      const Task& task = every_rank[r].tasks()[id];
      if (!is_message(task)) continue;
      const Rank other = resolve(task.peer, leader_of_node);
      if (task.kind == TaskKind::send)
        sends[{task.peer.kind, me, other}].push_back(id);
      else
        recvs[{task.peer.kind, other, me}].push_back(id);
    }
  }
  std::string text;
  for (const auto& [channel, from] : sends) {
    const auto to = recvs.find(channel);
    if (to == recvs.end()) continue;
    const auto [kind, sender, receiver] = channel;
    for (size_t k = 0; k < from.size() && k < to->second.size(); ++k)
      text += "  " + node_name(static_cast<size_t>(sender), from[k]) + " -> " +
              node_name(static_cast<size_t>(receiver), to->second[k]) +
              " [style=dashed, constraint=false];\n";
  }
  return text;
}

std::string goal_operation(const Task& task, std::span<const Rank> leader_of_node, const GoalCosts& costs) {
  constexpr uint64_t k_kib = 1024;
  const auto message = [&](const char* verb, const char* preposition, uint64_t bytes) {
    const int tag = static_cast<int>(task.peer.kind) - static_cast<int>(Peer::Kind::rank);
    return verb + std::to_string(bytes == 0 ? 1 : bytes) + "b " + preposition + " " +
           std::to_string(resolve(task.peer, leader_of_node)) + " tag " + std::to_string(tag);
  };
  switch (task.kind) {
    case TaskKind::send:
      return message("send ", "to", task.source.length);
    case TaskKind::recv:
      return message("recv ", "from", task.target.length);
    case TaskKind::copy:
      return "calc " + std::to_string(task.source.length * costs.copy_ns_per_kib / k_kib);
    case TaskKind::reduce:
      return "calc " + std::to_string(task.source.length * costs.reduce_ns_per_kib / k_kib);
    case TaskKind::nop:
      break;
  }
  return "calc 0";
}

}  // namespace

std::string print_text(std::span<const Schedule> every_rank, Rank first) {
  std::string text;
  for (size_t r = 0; r < every_rank.size(); ++r) {
    const Schedule& schedule = every_rank[r];
    text += "rank " + std::to_string(static_cast<uint64_t>(first) + r) + ": " +
            std::to_string(schedule.size()) + " tasks, " + std::to_string(schedule.scratch_bytes()) +
            " bytes of scratch";
    if (schedule.node_bytes() > 0)
      text += ", " + std::to_string(schedule.node_bytes()) + " bytes of node memory";
    text += '\n';
    const auto before = predecessors(schedule);
    for (TaskId id = 0; id < schedule.size(); ++id) {
      text += "  " + std::to_string(id) + "  " + describe(schedule.tasks()[id]);
      for (size_t i = 0; i < before[id].size(); ++i)
        text += (i == 0 ? "  after " : ", ") + std::to_string(before[id][i]);
      text += '\n';
    }
  }
  return text;
}

std::string print_dot(std::span<const Schedule> every_rank, std::span<const Rank> leader_of_node) {
  std::string text = "digraph schedule {\n  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n";
  for (size_t r = 0; r < every_rank.size(); ++r) {
    const Schedule& schedule = every_rank[r];
    const std::string rank = std::to_string(r);
    text += "  subgraph cluster_" + rank + " {\n    label=\"rank " + rank + "\";\n";
    // Without a node in it Graphviz would omit the cluster of an idle rank.
    if (schedule.size() == 0) text += "    r" + rank + "_idle [label=\"\", style=invis];\n";
    for (TaskId id = 0; id < schedule.size(); ++id)
      text += "    " + node_name(r, id) + " [label=\"" + std::to_string(id) + ": " +
              describe(schedule.tasks()[id]) + "\"];\n";
    for (TaskId id = 0; id < schedule.size(); ++id)
      for (TaskId next : schedule.successors(id))
        text += "    " + node_name(r, id) + " -> " + node_name(r, next) + ";\n";
    text += "  }\n";
  }
  return text + message_edges(every_rank, leader_of_node) + "}\n";
}

std::string print_goal(std::span<const Schedule> every_rank, std::span<const Rank> leader_of_node,
                       const GoalCosts& costs) {
  std::string text = "num_ranks " + std::to_string(every_rank.size()) + "\n";
  for (size_t r = 0; r < every_rank.size(); ++r) {
    const Schedule& schedule = every_rank[r];
    text += "\nrank " + std::to_string(r) + " {\n";
    const auto before = predecessors(schedule);
    for (TaskId id = 0; id < schedule.size(); ++id) {
      const std::string label = "l" + std::to_string(id);
      text += label + ": " + goal_operation(schedule.tasks()[id], leader_of_node, costs) + "\n";
      for (TaskId earlier : before[id]) text += label + " requires l" + std::to_string(earlier) + "\n";
    }
    text += "}\n";
  }
  return text;
}

}  // namespace tutti::schedule
