#include "schedule/verifier.hpp"

#include <algorithm>
#include <array>

#include "schedule/verifier_state.hpp"

namespace tutti::schedule {

std::string_view to_string(Failure failure) {
  constexpr std::array<std::string_view, 16> k_names = {
      "none",          "build",       "structure",    "unmatched send", "unmatched receive",
      "size mismatch", "deadlock",    "race",         "node race",      "uninitialised read",
      "bad reduction", "wrong order", "wrong result", "stray write",    "not synchronised",
      "cost"};
  return k_names[static_cast<size_t>(failure)];
}

namespace verifier {

State::State(const Problem& of, std::span<const Schedule> all_schedules)
    : problem(of), schedules(all_schedules) {
  first_task.push_back(0);
  for (Rank r = 0; r < rank_count(); ++r) {
    const size_t tasks = schedules[static_cast<size_t>(r)].size();
    first_task.push_back(first_task.back() + static_cast<GlobalId>(tasks));
    rank_of.insert(rank_of.end(), tasks, r);
  }
  message_of.assign(task_count(), k_none);
}

Rank State::other_side(const Peer& peer) const {
  return peer.kind == Peer::Kind::node ? problem.leader_of_node[static_cast<size_t>(peer.index)] : peer.index;
}

std::string name_of(const State& state, GlobalId id) {
  return "rank " + std::to_string(state.rank(id)) + " task " + std::to_string(state.local(id)) + " (" +
         describe(state.task(id)) + ")";
}

VerifyReport fail(Failure failure, const State& state, GlobalId id, std::string what) {
  VerifyReport report;
  report.failure = failure;
  report.rank = state.rank(id);
  report.task = state.local(id);
  report.message = name_of(state, id) + ": " + std::move(what);
  return report;
}

namespace {

bool overlap(const BufRef& a, const BufRef& b) {
  return a.slot == b.slot && !a.empty() && !b.empty() && a.offset < b.end() && b.offset < a.end();
}

/// The error in a message's peer, or nullptr.
const char* peer_fault(const State& state, Rank me, const Peer& peer) {
  const Rank limit = peer.kind == Peer::Kind::node ? static_cast<Rank>(state.problem.leader_of_node.size())
                                                   : state.rank_count();
  if (peer.kind == Peer::Kind::none || peer.index < 0 || peer.index >= limit) return "there is no such peer";
  const Rank other = state.other_side(peer);
  if (other == me) return "a message to oneself; use a copy";
  const auto node = [&](Rank r) { return state.problem.node_of_rank[static_cast<size_t>(r)]; };
  if (peer.kind == Peer::Kind::local && node(other) != node(me)) return "a local peer on another node";
  return nullptr;
}

const char* task_fault(const State& state, Rank me, const Task& task) {
  if (task.kind == TaskKind::send || task.kind == TaskKind::recv) return peer_fault(state, me, task.peer);
  if (overlap(task.source, task.target)) return "source and target overlap";
  return nullptr;
}

}  // namespace

VerifyReport check_structure(const State& state) {
  const auto report = [](Rank r, std::string message) {
    return VerifyReport{.failure = Failure::structure, .rank = r, .message = std::move(message)};
  };
  if (state.problem.ranks.size() != state.schedules.size() ||
      state.problem.node_of_rank.size() != state.schedules.size())
    return report(-1, "the number of schedules differs from the number of ranks");
  std::vector<Rank> seen_on_node(state.problem.leader_of_node.size(), -1);
  for (Rank r = 0; r < state.rank_count(); ++r) {
    Rank& first = seen_on_node[static_cast<size_t>(state.problem.node_of_rank[static_cast<size_t>(r)])];
    if (first < 0) first = r;
    const uint64_t mine = state.schedules[static_cast<size_t>(r)].node_bytes();
    const uint64_t theirs = state.schedules[static_cast<size_t>(first)].node_bytes();
    if (mine != theirs)
      return report(r, "rank " + std::to_string(r) + " wants " + std::to_string(mine) +
                           " bytes of node memory, rank " + std::to_string(first) + " of the same node " +
                           std::to_string(theirs));
  }
  for (GlobalId id = 0; id < state.task_count(); ++id)
    if (const char* fault = task_fault(state, state.rank(id), state.task(id)))
      return fail(Failure::structure, state, id, fault);
  return {};
}

Counts count(const State& state) {
  Counts counts{.messages = state.messages.size(), .tasks = state.task_count()};
  std::vector<uint64_t> sent_bytes(state.schedules.size(), 0);
  std::vector<uint64_t> rounds(state.task_count(),
                               0);  // messages on the longest chain that ends in this task
  for (GlobalId id : state.order) {
    const Task& task = state.task(id);
    if (task.kind == TaskKind::send) {
      ++rounds[id];
      sent_bytes[static_cast<size_t>(state.rank(id))] += task.source.length;
    } else if (task.kind == TaskKind::recv) {
      rounds[id] = std::max(rounds[id], rounds[state.messages[state.message_of[id]].send]);
    }
    counts.rounds = std::max(counts.rounds, rounds[id]);
    state.for_each_successor(id, [&](GlobalId next) { rounds[next] = std::max(rounds[next], rounds[id]); });
  }
  for (uint64_t bytes : sent_bytes) counts.busiest_bytes = std::max(counts.busiest_bytes, bytes);
  return counts;
}

}  // namespace verifier

VerifyReport verify(const Problem& problem, std::span<const Schedule> every_rank) {
  using namespace verifier;
  State state(problem, every_rank);
  VerifyReport report = check_structure(state);
  if (report.is_ok()) report = match_messages(state);
  if (report.is_ok()) report = check_deadlock(state);
  if (report.is_ok()) report = check_races(state);
  if (report.is_ok()) report = check_node_races(state);
  if (report.is_ok()) report = check_contents(state);
  if (report.is_ok()) report = check_synchronisation(state);
  if (report.is_ok()) report.counts = count(state);
  return report;
}

}  // namespace tutti::schedule
