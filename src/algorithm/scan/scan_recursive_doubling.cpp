// Recursive doubling (ex)scan (Hockney, Jesshope: Parallel Computers 2, 1988, §5; as in Thakur, Rabenseifner, Gropp):
// partners at distance 1, 2, 4, … exchange the reductions of their groups; the upper partner also puts the received
// value in front of its result. Messages without a use are omitted.
//
//   4 ranks      round 1   0 ◄─► 1      2 ◄─► 3         groups 0-1, 2-3
//                round 2   0  ─► 2      1  ─► 3
//
// Rounds ⌈log2 p⌉, busiest rank n·⌈log2 p⌉ bytes. Groups are runs of ranks, so that operators need not commute.

#include <array>

#include "algorithm/applicability.hpp"
#include "algorithm/phase.hpp"
#include "pattern/shape.hpp"

namespace tutti::algorithm {
namespace {

/// Whether `rank` sends its group's reduction in a round after the one with this distance.
bool has_later_partner(Rank rank, Rank distance, Rank rank_count) {
  for (int64_t d = int64_t{distance} * 2; d < rank_count; d *= 2)
    if ((rank ^ d) < rank_count) return true;
  return false;
}

/// Builds one rank's schedule, round by round.
class Doubling {
 public:
  Doubling(ScheduleBuilder& builder, const Request& request, Rank me)
      : builder_(builder),
        request_(request),
        me_(me),
        exclusive_(request.collective == Collective::exscan),
        output_{Slot::output, 0, request.bytes},
        group_(request.operand()) {}

  void run() {
    if (!exclusive_) output_ready_ = builder_.copy(request_.operand(), output_);
    const Rank p = request_.rank_count;
    for (Rank distance = 1; distance < p; distance *= 2)
      if ((me_ ^ distance) < p) exchange(me_ ^ distance, distance);
  }

 private:
  void exchange(Rank partner, Rank distance) {
    const Rank p = request_.rank_count;
    const bool upper = partner < me_, grows = has_later_partner(me_, distance, p);
    TaskId sent = k_no_task;
    if (partner > me_ || has_later_partner(partner, distance, p))
      sent = builder_.send(Peer::rank(partner), group_, group_ready_);
    // If in place, the result may overwrite the operand only after the operand has been sent.
    if (group_.slot == Slot::output) operand_left_.push_back(sent);
    if (grows && group_.slot != Slot::scratch) open_group();
    if (!upper && !grows) return;

    const BufRef landing = receive_from(partner, upper);
    if (upper) put_in_front(landing);
    if (grows) {
      group_ready_ = builder_.reduce(landing, group_, {arrived_, group_ready_, sent},
                                     upper ? OperandOrder::source_first : OperandOrder::target_first);
      if (landing == output_) output_readers_.push_back(group_ready_);
    }
    if (landing != output_) free_[turn_] = {group_ready_, output_ready_};
  }

  /// Moves the group's reduction out of the caller's memory before it is changed.
  void open_group() {
    const BufRef place = builder_.scratch(request_.bytes);
    group_ready_ = builder_.copy(group_, place);
    if (group_.slot == Slot::output) operand_left_.push_back(group_ready_);
    group_ = place;
  }

  /// The first value that an exclusive scan receives from a lower partner is its result so far.
  BufRef receive_from(Rank partner, bool upper) {
    if (upper && exclusive_ && !has_result_) {
      arrived_ = builder_.recv(Peer::rank(partner), output_, operand_left_);
      return output_;
    }
    turn_ = 1 - turn_;
    if (landings_[turn_].empty()) landings_[turn_] = builder_.scratch(request_.bytes);
    arrived_ = builder_.recv(Peer::rank(partner), landings_[turn_], free_[turn_]);
    return landings_[turn_];
  }

  void put_in_front(BufRef landing) {
    has_result_ = true;
    if (landing == output_) {
      output_ready_ = arrived_;
      return;
    }
    TaskIds after = output_readers_;
    after.insert(after.end(), operand_left_.begin(), operand_left_.end());
    after.insert(after.end(), {arrived_, output_ready_});
    output_ready_ = builder_.reduce(landing, output_, after, OperandOrder::source_first);
  }

  ScheduleBuilder& builder_;
  const Request& request_;
  const Rank me_;
  const bool exclusive_;
  const BufRef output_;
  TaskId output_ready_ = k_no_task;
  bool has_result_ = false;  // exscan: a value has been received from a lower partner
  TaskIds output_readers_;   // read the previous contents of the output, and must precede the next write
  TaskIds operand_left_;     // in place: after them the operand in the output is no longer needed
  BufRef group_;             // reduction of the ranks of the group
  TaskId group_ready_ = k_no_task;
  std::array<BufRef, 2> landings_{};
  std::array<TaskIds, 2> free_;
  size_t turn_ = 0;
  TaskId arrived_ = k_no_task;
};

BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet&) {
  ScheduleBuilder builder;
  if (request.bytes > 0) Doubling(builder, request, me).run();
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  const uint64_t rounds = pattern::ceil_log(static_cast<uint64_t>(request.rank_count), 2);
  return request.bytes == 0 ? Cost{} : Cost{rounds, rounds * request.bytes};
}

constexpr Algorithm row(Collective collective) {
  return {.name = "recursive_doubling",
          .summary = "partners at doubling distances exchange the reductions over their groups",
          .source = "Hockney, Jesshope 1988; Thakur, Rabenseifner, Gropp, IJHPCA 2005",
          .collective = collective,
          .parameters = {},
          .applies = applies_always,
          .build = build,
          .cost = cost};
}

}  // namespace

extern const Algorithm scan_recursive_doubling = row(Collective::scan);
extern const Algorithm exscan_recursive_doubling = row(Collective::exscan);

}  // namespace tutti::algorithm
