#pragma once
// The hierarchy combinator: two-level collectives composed of flat ones (DESIGN §2, §5; paper 000 §2.3 and §3).
//
// An inter-node schedule runs between the leaders of the nodes and an intra-node one inside each node. They are joined
// per segment, so that one segment travels between nodes while the previous one is copied inside them. This file has
// the parts that all forms share; vector_levels.hpp joins levels that work on a vector, block_levels.hpp those that
// move the blocks of nodes.

#include <array>
#include <initializer_list>
#include <map>
#include <optional>
#include <vector>

#include "algorithm/applicability.hpp"
#include "algorithm/catalogue.hpp"
#include "algorithm/parameters.hpp"

namespace tutti::algorithm {

/// Number of lanes, at most `wanted`. With several lanes the members of a node lead in turn, which spreads the network
/// traffic of a node over several processes: segment s belongs to lane s mod lanes. One lane if ranks compete for
/// leadership (leader policy `first`).
uint64_t lanes_of(const Topology& topology, uint64_t wanted);

/// One rank's view of the two levels. Nodes keep their numbers of the topology.
class TwoLevel {
 public:
  /// `root` leads its node; -1 for collectives without a root. In lane l > 0 member l leads a node.
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

  /// Peer of the leader by node number.
  std::span<const Peer> leaders() const { return leaders_; }
  /// Peer on this rank's node by local index.
  std::span<const Peer> locals() const { return locals_; }
  Peer local_leader() const { return Peer::local(leader_); }

 private:
  const Topology& topology_;
  Rank me_;
  int32_t my_node_, root_node_ = 0;
  Rank leader_;
  std::vector<Peer> leaders_, locals_;
};

/// The algorithm of one level for the ranks that it joins. A level between nodes that are grouped
/// (Topology::has_groups()) has two levels itself: between the groups, and inside them.
class LevelAlgorithm {
 public:
  /// All ranks share one node. `flat`: nullptr if the collective has no such level.
  static LevelAlgorithm inside_node(const Algorithm* flat, Rank ranks);
  /// The ranks are the nodes of `topology`, which must outlive this. `flat`: as above.
  static LevelAlgorithm between_nodes(const Algorithm* flat, const Topology& topology);

  /// False: the level has no messages.
  bool is_needed() const { return choice_.algorithm != nullptr && ranks_ > 1; }
  /// As Algorithm::applies(); the reason begins with the level.
  bool applies(const RankInvariantRequest& level_request, std::string* why_not) const;
  BuildResult build(const Request& level_request, Rank me);
  /// Nothing for a level that is not needed.
  Cost cost(const Request& level_request) const;

 private:
  Topology topology() const;

  Choice choice_ = {};
  Rank ranks_ = 1;
  bool is_inside_ = false;
  const Topology* grouped_ = nullptr;  // the nodes of a two-level form
  std::optional<Topology> topology_;   // from the first schedule on
};

/// Builds the schedules of one level that a combinator nests, each distinct one once.
class LevelBuilder {
 public:
  LevelBuilder(LevelAlgorithm algorithm, Rank me) : algorithm_(std::move(algorithm)), me_(me) {}

  /// The schedule for `request`; calls may differ in `request.bytes` only. The schedule is empty if there is no such
  /// level, or if it has one rank. Errors are kept for status().
  const Schedule& get(const Request& request);
  const base::Status& status() const { return status_; }

 private:
  LevelAlgorithm algorithm_;
  Rank me_;
  Schedule empty_;
  std::map<uint64_t, Schedule> by_bytes_;
  base::Status status_;
};

/// Segments in flight that own memory. More would only enlarge the working set; fewer would stall the chain.
inline constexpr uint64_t k_segment_ring_depth = 8;

/// Memory that consecutive segments use in turn: segment k may start when segment k - depth has ended. If segments need
/// no memory, none waits.
class SegmentRing {
 public:
  SegmentRing(ScheduleBuilder& builder, uint64_t scratch_bytes, uint64_t node_bytes);

  BufRef scratch(uint64_t segment) const { return slot(segment).scratch; }
  BufRef node(uint64_t segment) const { return slot(segment).node; }
  /// The task that must complete before segment `segment` uses its memory.
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
  std::array<SlotState, k_segment_ring_depth> slots_;
};

/// The flat algorithm that a choice parameter selects.
const Algorithm* chosen(Collective collective, const Parameter& parameter, uint64_t value);

/// The part of `request` that one level carries out, with `bytes` per segment. The result is not in place; callers set
/// in_place where needed.
Request level_request(const Request& request, Collective collective, Rank ranks, Rank root, uint64_t bytes);

/// A condition of two-level reductions.
bool nodes_may_combine(const RankInvariantRequest& request, const Topology& topology,
                       const ParameterSet& parameters, std::string* why_not);
/// An upper bound for `segments` segments that pass through these levels in sequence.
Cost two_level_bound(std::initializer_list<Cost> levels, uint64_t segments);

/// The error of the first level that could not be built; ok if all could.
base::Status first_error(std::initializer_list<const LevelBuilder*> levels);

}  // namespace tutti::algorithm
