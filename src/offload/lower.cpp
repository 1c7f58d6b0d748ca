#include "offload/lower.hpp"

#include <limits>
#include <utility>
#include <vector>

namespace tutti::offload {

using base::Result;
using base::Status;
using schedule::BufRef;
using schedule::OperandOrder;
using schedule::Peer;
using schedule::ScheduleBuilder;
using schedule::Slot;
using schedule::TaskId;

namespace {

Peer peer(NodeId node) {
  return Peer::rank(static_cast<schedule::Rank>(node));
}

void lower_barrier(const Descriptor& d, ScheduleBuilder& builder) {
  std::vector<TaskId> heard;
  for (const Round& round : d.rounds) {
    const TaskId gate = builder.join(heard);
    for (const NodeId to : round.sends) builder.notify(peer(to), gate);
    heard = {gate};
    for (const NodeId from : round.receives) heard.push_back(builder.await(peer(from)));
  }
}

/// Keeps the value in the output across rounds.
class AllreduceLowering {
 public:
  AllreduceLowering(const Descriptor& d, bool in_place, ScheduleBuilder& builder)
      : builder_(builder), value_{Slot::output, 0, 8 * uint64_t{d.element_count}} {
    if (!in_place) gate_ = builder_.copy({Slot::input, 0, value_.length}, value_);
  }

  void add(const Round& round) {
    std::vector<TaskId> after{gate_};
    for (const NodeId to : round.sends) after.push_back(builder_.send(peer(to), value_, gate_));
    if (round.action == Action::replace) {
      gate_ = builder_.recv(peer(round.receives[0]), value_, after);
      return;
    }
    std::vector<BufRef> received;
    for (const NodeId from : round.receives) {
      received.push_back(builder_.scratch(value_.length));
      after.push_back(builder_.recv(peer(from), received.back()));
    }
    gate_ = builder_.join(after);
    combine(received, round.own_position);
  }

 private:
  /// Combines from left to right, for any own position: all nodes of a group compute the same bits.
  void combine(const std::vector<BufRef>& received, size_t own_position) {
    if (received.empty()) return;
    const auto append = [&](const BufRef& right, const BufRef& left) {
      gate_ = builder_.reduce(right, left, gate_, OperandOrder::target_first);
    };
    for (size_t i = 1; i < own_position; ++i) append(received[i], received[0]);
    if (own_position > 0) gate_ = builder_.reduce(received[0], value_, gate_, OperandOrder::source_first);
    for (size_t i = own_position; i < received.size(); ++i) append(received[i], value_);
  }

  ScheduleBuilder& builder_;
  BufRef value_;
  TaskId gate_ = schedule::k_no_task;  // after it, the value is the one that the round's sends carry
};

}  // namespace

Result<schedule::Schedule> lower(const Descriptor& descriptor, bool in_place) {
  if (auto status = check(descriptor); !status) return status;
  if (descriptor.nodes > static_cast<uint32_t>(std::numeric_limits<schedule::Rank>::max()))
    return Status::invalid_argument("descriptor: more nodes than an MPI communicator can have ranks");
  ScheduleBuilder builder;
  if (descriptor.kind == Kind::barrier) {
    lower_barrier(descriptor, builder);
  } else {
    AllreduceLowering allreduce(descriptor, in_place, builder);
    for (const Round& round : descriptor.rounds) allreduce.add(round);
  }
  return std::move(builder).finish();
}

}  // namespace tutti::offload
