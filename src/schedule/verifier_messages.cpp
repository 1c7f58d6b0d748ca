// Verifier: matches sends with receives, and checks that all messages can take place.

#include <algorithm>
#include <string>
#include <utility>

#include "schedule/verifier_state.hpp"

namespace tutti::schedule::verifier {

namespace {

/// One side of a message; sides of the same channel match in the order of their tasks.
struct Side {
  uint64_t channel;
  GlobalId task;
};

uint64_t channel_key(Peer::Kind kind, Rank from, Rank to) {
  return static_cast<uint64_t>(kind) << 62 | static_cast<uint64_t>(from) << 31 | static_cast<uint64_t>(to);
}

void sort_by_channel(std::vector<Side>& sides) {
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return a.channel != b.channel ? a.channel < b.channel : a.task < b.task;
  });
}

std::string count_of(uint64_t n, const char* what) {
  return std::to_string(n) + " " + what;
}

}  // namespace

VerifyReport match_messages(State& state) {
  std::vector<Side> sends, recvs;
  for (GlobalId id = 0; id < state.task_count(); ++id) {
    const Task& task = state.task(id);
    const Rank me = state.rank(id);
    if (task.kind == TaskKind::send)
      sends.push_back({channel_key(task.peer.kind, me, state.other_side(task.peer)), id});
    else if (task.kind == TaskKind::recv)
      recvs.push_back({channel_key(task.peer.kind, state.other_side(task.peer), me), id});
  }
  sort_by_channel(sends);
  sort_by_channel(recvs);

  state.messages.reserve(sends.size());
  uint64_t previous_channel = ~uint64_t{0};
  size_t s = 0, r = 0;
  while (s < sends.size() || r < recvs.size()) {
    if (r == recvs.size() || (s < sends.size() && sends[s].channel < recvs[r].channel))
      return fail(Failure::unmatched_send, state, sends[s].task, "no rank receives this message");
    if (s == sends.size() || recvs[r].channel < sends[s].channel)
      return fail(Failure::unmatched_receive, state, recvs[r].task, "nothing is sent here");
    const uint32_t index = static_cast<uint32_t>(state.messages.size());
    const Message message{sends[s].task, recvs[r].task, k_none, sends[s].channel != previous_channel};
    if (!message.is_head) state.messages.back().next_in_channel = index;
    previous_channel = sends[s].channel;
    const uint64_t sent = state.task(message.send).source.length;
    const uint64_t received = state.task(message.recv).target.length;
    if (sent != received)
      return fail(Failure::size_mismatch, state, message.recv,
                  "expects " + count_of(received, "bytes") + ", but " + name_of(state, message.send) +
                      " sends " + std::to_string(sent));
    state.messages.push_back(message);
    state.message_of[message.send] = state.message_of[message.recv] = index;
    ++s, ++r;
  }
  return {};
}

namespace {

/// Runs all ranks as if nothing were buffered: a message takes place when the dependencies of both sides are met and
/// all earlier messages of its channel have taken place. Running one task never disables another one, so that the
/// result does not depend on the order.
class Rendezvous {
 public:
  explicit Rendezvous(State& state) : state_(state) {
    for (Rank r = 0; r < state.rank_count(); ++r)
      for (uint32_t indegree : state.schedules[static_cast<size_t>(r)].indegrees())
        waits_for_.push_back(indegree);
    sides_missing_.assign(state.messages.size(), 2);
    channel_free_.resize(state.messages.size());
    for (size_t m = 0; m < state.messages.size(); ++m) channel_free_[m] = state.messages[m].is_head;
  }

  void run() {
    state_.order.reserve(state_.task_count());
    for (GlobalId id = 0; id < state_.task_count(); ++id)
      if (waits_for_[id] == 0) become_ready(id);
    while (!can_run_.empty()) {
      const GlobalId id = can_run_.back();
      can_run_.pop_back();
      const uint32_t m = state_.message_of[id];
      complete(id);
      if (m == k_none) continue;
      complete(state_.messages[m].recv);
      if (const uint32_t next = state_.messages[m].next_in_channel; next != k_none) {
        channel_free_[next] = true;
        start_if_possible(next);
      }
    }
  }

  VerifyReport report() const {
    if (state_.order.size() == state_.task_count()) return {};
    constexpr int k_most_named = 4;
    std::string heads;
    int blocked = 0;
    GlobalId first = k_none;
    for (uint32_t m = 0; m < state_.messages.size(); ++m) {
      if (!channel_free_[m] || sides_missing_[m] != 1) continue;
      const Message& message = state_.messages[m];
      const bool sender_waits = waits_for_[message.send] == 0;
      const GlobalId waiting = sender_waits ? message.send : message.recv;
      const GlobalId missing = sender_waits ? message.recv : message.send;
      if (first == k_none) first = waiting;
      if (++blocked <= k_most_named)
        heads += (blocked > 1 ? "; " : "") + name_of(state_, waiting) + " waits for task " +
                 std::to_string(state_.local(missing)) + " of rank " + std::to_string(state_.rank(missing));
    }
    if (first == k_none) first = first_unfinished();
    if (blocked > k_most_named) heads += "; and " + std::to_string(blocked - k_most_named) + " more";
    return fail(Failure::deadlock, state_, first, "nothing can go on without buffering: " + heads);
  }

 private:
  void become_ready(GlobalId id) {
    const uint32_t m = state_.message_of[id];
    if (m == k_none) {
      can_run_.push_back(id);
      return;
    }
    --sides_missing_[m];
    start_if_possible(m);
  }

  void start_if_possible(uint32_t m) {
    if (channel_free_[m] && sides_missing_[m] == 0) can_run_.push_back(state_.messages[m].send);
  }

  void complete(GlobalId id) {
    state_.order.push_back(id);
    state_.for_each_successor(id, [&](GlobalId next) {
      if (--waits_for_[next] == 0) become_ready(next);
    });
  }

  GlobalId first_unfinished() const {
    std::vector<bool> done(state_.task_count(), false);
    for (GlobalId id : state_.order) done[id] = true;
    return static_cast<GlobalId>(std::find(done.begin(), done.end(), false) - done.begin());
  }

  State& state_;
  std::vector<uint32_t> waits_for_;     // unmet dependencies per task
  std::vector<uint8_t> sides_missing_;  // per message: sides with unmet dependencies
  std::vector<uint8_t> channel_free_;   // per message: all earlier ones of its channel have taken place
  std::vector<GlobalId> can_run_;       // local tasks, and sends whose message can take place
};

}  // namespace

VerifyReport check_deadlock(State& state) {
  Rendezvous rendezvous(state);
  rendezvous.run();
  return rendezvous.report();
}

VerifyReport check_synchronisation(const State& state) {
  if (!state.problem.synchronises) return {};
  // For every task: the ranks that have certainly arrived when it ends.
  std::vector<std::vector<bool>> come(state.task_count(), std::vector<bool>(state.schedules.size(), false));
  std::vector<std::vector<bool>> at_end(state.schedules.size(),
                                        std::vector<bool>(state.schedules.size(), false));
  const auto merge = [](std::vector<bool>& into, const std::vector<bool>& from) {
    for (size_t r = 0; r < into.size(); ++r)
      if (from[r]) into[r] = true;
  };
  for (GlobalId id : state.order) {
    const auto me = static_cast<size_t>(state.rank(id));
    come[id][me] = true;
    if (state.task(id).kind == TaskKind::recv)
      merge(come[id], come[state.messages[state.message_of[id]].send]);
    state.for_each_successor(id, [&](GlobalId next) { merge(come[next], come[id]); });
    merge(at_end[me], come[id]);
  }
  for (size_t r = 0; r < at_end.size(); ++r)
    for (size_t other = 0; other < at_end.size(); ++other)
      if (r != other && !at_end[r][other])
        return {.failure = Failure::not_synchronised,
                .rank = static_cast<Rank>(r),
                .message = "rank " + std::to_string(r) + " may leave before rank " + std::to_string(other) +
                           " has come"};
  return {};
}

}  // namespace tutti::schedule::verifier
