#pragma once
// The hierarchy combinator: two-level collectives out of flat ones (DESIGN §2, §5; paper 000 §2.3 and §3).
//
// An inter-node builder runs between the leaders of the nodes and an intra-node one inside each node; they
// are joined per segment, so that while one segment travels between nodes the previous one is copied inside
// them. Each <collective>_hierarchical.cpp says how its two levels meet; what they share is here.

#include <initializer_list>
#include <map>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "algorithm/catalogue.hpp"

namespace tutti::algorithm {

using schedule::BufRef;
using schedule::k_no_task;
using schedule::Nested;
using schedule::Peer;
using schedule::ScheduleBuilder;
using schedule::Slot;
using schedule::TaskId;

/// Where the members of a node take turns as its leader, the network traffic of a node is spread over several
/// processes: segment s belongs to lane s mod lanes. Ranks that compete for the lead (leader policy `first`)
/// have one.
uint64_t lanes_of(const Topology& topology, uint64_t wanted);

/// One rank's view of the two levels. Nodes keep their topology numbers.
class TwoLevel {
 public:
  /// `root` leads its node; pass -1 for collectives without one. In lane l the l-th member leads.
  TwoLevel(const Topology& topology, Rank me, Rank root = -1, uint64_t lane = 0);

  int32_t node_count() const { return topology_.node_count(); }
  int32_t my_node() const { return my_node_; }
  /// Node of the root; 0 without one.
  int32_t root_node() const { return root_node_; }
  bool leads() const { return leader_ == me_; }
  Rank leader() const { return leader_; }
  /// Ranks of my node, ascending.
  std::span<const Rank> members() const { return topology_.ranks_of(my_node_); }
  Rank member_count() const { return static_cast<Rank>(members().size()); }
  Rank my_local_index() const { return topology_.local_index(me_); }
  Rank leader_local_index() const { return topology_.local_index(leader_); }

  /// Node number -> peer that leads it.
  std::span<const Peer> leaders() const { return leaders_; }
  /// Local index -> peer on my node.
  std::span<const Peer> locals() const { return locals_; }
  Peer local_leader() const { return Peer::local(leader_); }

 private:
  const Topology& topology_;
  Rank me_;
  int32_t my_node_, root_node_ = 0;
  Rank leader_;
  std::vector<Peer> leaders_, locals_;
};

/// Builds the flat schedules that a combinator nests, each distinct one once.
class FlatBuilder {
 public:
  /// `ranks` take part, this one as `me`. Between nodes each is alone on its node; inside a node all share
  /// one.
  enum class Level : uint8_t { inter, intra };
  FlatBuilder(const Algorithm& algorithm, Level level, Rank ranks, Rank me);

  /// The schedule for `request`, which differs between calls only in `request.bytes`. An empty schedule
  /// stands for a level of one rank. Errors are kept for status().
  const Schedule& get(const Request& request);
  const base::Status& status() const { return status_; }

 private:
  const Algorithm& algorithm_;
  Topology topology_;
  Rank me_;
  std::map<uint64_t, Schedule> by_bytes_;
  base::Status status_;
};

/// Memory that consecutive segments take turns to use: segment k may start when segment k - depth has ended.
/// Where no segment needs memory, none waits.
class SegmentRing {
 public:
  SegmentRing(ScheduleBuilder& builder, uint64_t scratch_bytes, uint64_t node_bytes);

  BufRef scratch(uint64_t segment) const { return slot(segment).scratch; }
  BufRef node(uint64_t segment) const { return slot(segment).node; }
  /// What segment `segment` waits for before it touches its memory.
  TaskId free(uint64_t segment) const { return slot(segment).last_user; }
  void set_done(uint64_t segment, TaskId done) {
    if (owns_memory_) slots_[segment % slots_.size()].last_user = done;
  }
  bool owns_memory() const { return owns_memory_; }

 private:
  struct SlotState {
    BufRef scratch, node;
    TaskId last_user = k_no_task;
  };
  const SlotState& slot(uint64_t segment) const { return slots_[segment % slots_.size()]; }
  bool owns_memory_;
  std::vector<SlotState> slots_;
};

/// The flat algorithm behind a choice parameter.
const Algorithm& chosen(Collective collective, const Parameter& parameter, uint64_t value);

/// The part of `request` that one level carries out; `bytes` per segment. Never in place unless the caller
/// says so.
Request level_request(const Request& request, Collective collective, Rank ranks, Rank root, uint64_t bytes);

/// Common guards.
bool has_two_levels(const Topology& topology, std::string* why_not);
bool is_commutative(const Request& request, std::string* why_not);
/// Asks the flat algorithm of one level, prefixing its reason with the level.
bool level_applies(const Algorithm& algorithm, FlatBuilder::Level level, const Request& level_request,
                   std::string* why_not);

/// What one level costs for one segment.
Cost level_cost(const Algorithm& algorithm, FlatBuilder::Level level, const Request& level_request);
/// An upper bound for `segments` segments that pass through these levels one after the other.
Cost two_level_bound(std::initializer_list<Cost> levels, uint64_t segments);

/// The error of the first level that could not be built; ok when all could.
base::Status first_error(std::initializer_list<const FlatBuilder*> levels);
/// builder.finish(), or that error.
base::Result<Schedule> finish_levels(ScheduleBuilder&& builder,
                                     std::initializer_list<const FlatBuilder*> levels);

}  // namespace tutti::algorithm
