// The verifier under test: one mistake planted into the schedules of every row of the catalogue, at every
// task in turn. Each must be rejected, and for a reason that fits. (Hand-written mistakes:
// tests/unit/schedule.)

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "algorithm/block_forwarding.hpp"
#include "algorithm/catalogue.hpp"
#include "algorithm/specification.hpp"
#include "grid.hpp"
#include "schedule/print.hpp"

namespace tutti::model {
namespace {

using algorithm::Algorithm;
using algorithm::ParameterSet;
using schedule::BufRef;
using schedule::Failure;
using schedule::OperandOrder;
using schedule::Peer;
using schedule::Schedule;
using schedule::ScheduleBuilder;
using schedule::Slot;
using schedule::Task;
using schedule::TaskId;
using schedule::TaskKind;
using topology::Topology;

enum class Mistake : uint8_t { drop, redirect, shorten, swap_operands };
constexpr Mistake k_mistakes[] = {Mistake::drop, Mistake::redirect, Mistake::shorten, Mistake::swap_operands};

/// The location and kind of the mistake that the next build() plants. Algorithm::build has no state of its own to
/// keep it in.
struct Plan {
  const Algorithm* original = nullptr;
  Mistake mistake = Mistake::drop;
  Rank rank = -1;
  TaskId task = 0;
};
Plan plan;

bool is_message(const Task& task) {
  return task.kind == TaskKind::send || task.kind == TaskKind::recv;
}

bool overlap(const BufRef& a, const BufRef& b) {
  return a.slot == b.slot && !a.empty() && !b.empty() && a.offset < b.end() && b.offset < a.end();
}

/// Determines which bytes written by tasks may reach a result. Some algorithms prepare more than a small case needs;
/// a mistake in such bytes changes nothing.
class Usefulness {
 public:
  explicit Usefulness(std::span<const Schedule> every_rank) : schedules_(every_rank) {
    std::map<Channel, std::vector<Place>> sends, recvs;
    for (Rank r = 0; r < static_cast<Rank>(every_rank.size()); ++r) {
      known_.emplace_back(tasks(r).size());
      for (TaskId id = 0; id < tasks(r).size(); ++id) {
        const Task& task = tasks(r)[id];
        if (task.kind == TaskKind::send) sends[{task.peer.kind, r, task.peer.index}].push_back({r, id});
        if (task.kind == TaskKind::recv) recvs[{task.peer.kind, task.peer.index, r}].push_back({r, id});
      }
    }
    for (const auto& [channel, from] : sends)
      for (size_t k = 0; k < std::min(from.size(), recvs[channel].size()); ++k)
        receive_of_[from[k]] = recvs[channel][k];
  }

  /// Whether `bytes` that task `writer` of rank `r` writes may matter.
  bool is_used(Rank r, TaskId writer, const BufRef& bytes) {
    if (bytes.slot == Slot::output || bytes.slot == Slot::node) return true;
    for (TaskId id = writer + 1; id < tasks(r).size(); ++id) {
      const Task& task = tasks(r)[id];
      const bool reads =
          overlap(task.source, bytes) || (task.kind == TaskKind::reduce && overlap(task.target, bytes));
      if (reads && is_useful(r, id)) return true;
    }
    return false;
  }

 private:
  using Channel = std::tuple<Peer::Kind, Rank, Rank>;  // from, to
  using Place = std::pair<Rank, TaskId>;

  std::span<const Task> tasks(Rank r) const { return schedules_[static_cast<size_t>(r)].tasks(); }

  bool is_useful(Rank r, TaskId id) {
    std::optional<bool>& known = known_[static_cast<size_t>(r)][id];
    if (known) return *known;
    known = false;  // for whatever asks in a circle
    if (tasks(r)[id].kind != TaskKind::send) return *(known = is_used(r, id, tasks(r)[id].target));
    const auto receive = receive_of_.find({r, id});
    // Messages between leaders of nodes are not followed.
    if (receive == receive_of_.end()) return *(known = true);
    const auto [to, recv] = receive->second;
    return *(known = is_used(to, recv, tasks(to)[recv].target));
  }

  std::span<const Schedule> schedules_;
  std::vector<std::vector<std::optional<bool>>> known_;
  std::map<Place, Place> receive_of_;
};

/// Whether a mistake at this task must be detected.
bool matters(Mistake mistake, const Task& task, Rank r, TaskId id, Usefulness& usefulness,
             const Situation& situation) {
  switch (mistake) {
    case Mistake::drop:
      return task.kind != TaskKind::nop && (is_message(task) || usefulness.is_used(r, id, task.target));
    case Mistake::redirect:
      return is_message(task) && task.peer.kind == Peer::Kind::rank && situation.rank_count > 2;
    case Mistake::shorten: {
      const uint64_t length = std::max(task.source.length, task.target.length);
      return length > 1 && (is_message(task) || usefulness.is_used(r, id, task.target.part(length - 1, 1)));
    }
    case Mistake::swap_operands:
      return task.kind == TaskKind::reduce && !situation.commutative &&
             usefulness.is_used(r, id, task.target);
  }
  return false;
}

bool fits(Mistake mistake, TaskKind kind, Failure failure) {
  using enum Failure;
  const auto one_of = [&](std::initializer_list<Failure> some) {
    return std::ranges::count(some, failure) > 0;
  };
  if (kind == TaskKind::send || kind == TaskKind::recv)
    return one_of({unmatched_send, unmatched_receive, size_mismatch});
  if (mistake == Mistake::swap_operands) return one_of({wrong_order, wrong_result});
  return one_of({uninitialised_read, bad_reduction, wrong_order, wrong_result});
}

void change(Task& task, Mistake mistake, Rank me, Rank rank_count) {
  switch (mistake) {
    case Mistake::drop:
      task = {};
      break;
    case Mistake::redirect:
      do task.peer.index = (task.peer.index + 1) % rank_count;
      while (task.peer.index == me);
      break;
    case Mistake::shorten:
      task.source.length -= task.source.length > 0;
      task.target.length -= task.target.length > 0;
      break;
    case Mistake::swap_operands:
      task.order =
          task.order == OperandOrder::source_first ? OperandOrder::target_first : OperandOrder::source_first;
      break;
  }
}

TaskId add(ScheduleBuilder& builder, const Task& task, const std::vector<TaskId>& after) {
  switch (task.kind) {
    case TaskKind::send:
      return task.source.empty() ? builder.notify(task.peer, after)
                                 : builder.send(task.peer, task.source, after);
    case TaskKind::recv:
      return task.target.empty() ? builder.await(task.peer, after)
                                 : builder.recv(task.peer, task.target, after);
    case TaskKind::copy:
      return builder.copy(task.source, task.target, after);
    case TaskKind::reduce:
      return builder.reduce(task.source, task.target, after, task.order);
    case TaskKind::nop:
      break;
  }
  return builder.join(after);
}

/// The same schedule, written again with one task changed.
base::Result<Schedule> rewrite(const Schedule& original, Rank rank_count) {
  ScheduleBuilder builder;
  builder.scratch(original.scratch_bytes());
  builder.node(original.node_bytes());
  std::vector<std::vector<TaskId>> after(original.size());
  for (TaskId id = 0; id < original.size(); ++id) {
    Task task = original.tasks()[id];
    if (id == plan.task) change(task, plan.mistake, plan.rank, rank_count);
    const TaskId written = add(builder, task, after[id]);
    for (TaskId next : original.successors(id)) after[next].push_back(written);
  }
  return std::move(builder).finish();
}

base::Result<Schedule> build_with_mistake(const Request& request, Rank me, const Topology& topology,
                                          const ParameterSet& parameters) {
  auto built = plan.original->build(request, me, topology, parameters);
  return built && me == plan.rank ? rewrite(*built, request.rank_count) : std::move(built);
}

class Mutation : public testing::TestWithParam<const Algorithm*> {
 protected:
  /// Plants every mistake at about `k_most_places` tasks of every rank.
  void plant_everywhere(const Point& point) {
    constexpr size_t k_most_places = 6;
    const Requests requests(point.situation);
    const Topology& topology = point.topology->topology;
    std::string why_not;
    if (!GetParam()->applies(requests.every_rank().front(), topology, point.parameters, &why_not)) return;
    if (!verify(*GetParam(), requests.every_rank(), topology, point.parameters).is_ok())
      return;  // catalogue_test says so
    const algorithm::TwoPhaseRequests two_phase(*GetParam(), requests.every_rank(), topology,
                                                point.parameters);
    std::vector<Schedule> schedules;
    for (Rank r = 0; r < point.situation.rank_count; ++r) {
      const Topology seen = topology.leaders_compete()
                                ? topology.with_leader(topology.leader_of(topology.node_of(r)))
                                : topology;
      const Request& request = two_phase.every_rank()[static_cast<size_t>(r)];
      schedules.push_back(GetParam()->build(request, r, seen, point.parameters).value());
    }
    Usefulness usefulness(schedules);
    for (Rank r = 0; r < point.situation.rank_count; ++r) {
      const auto tasks = schedules[static_cast<size_t>(r)].tasks();
      const size_t step = tasks.size() / k_most_places + 1;
      for (TaskId id = 0; id < tasks.size(); id += static_cast<TaskId>(step))
        for (Mistake mistake : k_mistakes)
          if (matters(mistake, tasks[id], r, id, usefulness, point.situation))
            plant({GetParam(), mistake, r, id}, tasks[id], requests, point);
    }
  }

  void plant(const Plan& what, const Task& task, const Requests& requests, const Point& point) {
    plan = what;
    Algorithm broken = *GetParam();
    broken.build = build_with_mistake;
    const auto report = verify(broken, requests.every_rank(), point.topology->topology, point.parameters);
    ++planted_;
    if (fits(what.mistake, task.kind, report.failure)) return;
    ++failures_;
    ADD_FAILURE() << describe(*GetParam(), point) << ": mistake " << static_cast<int>(what.mistake)
                  << " at rank " << what.rank << " task " << what.task << " (" << schedule::describe(task)
                  << ") gave " << to_string(report.failure) << ": " << report.message;
  }

  uint64_t planted_ = 0;
  int failures_ = 0;
};

TEST_P(Mutation, IsRejected) {
  constexpr uint64_t k_points = 40;
  for (Rank p : {2, 3, 4, 5, 8}) {
    const Grid grid(*GetParam(), p);
    for (uint64_t n = 0; n < std::min(k_points, grid.budget()) && failures_ < 3; ++n)
      plant_everywhere(grid.point(n));
  }
  EXPECT_GT(planted_, 0u);
  RecordProperty("planted", static_cast<int>(planted_));
}

INSTANTIATE_TEST_SUITE_P(Model, Mutation,
                         testing::ValuesIn(algorithm::catalogue().begin(), algorithm::catalogue().end()),
                         name_of_row);

}  // namespace
}  // namespace tutti::model
