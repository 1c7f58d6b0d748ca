#pragma once
// Shared by two-level gather(v) and scatter(v), which differ only in direction.

#include "algorithm/node_exchange.hpp"

namespace tutti::algorithm {

/// Builds the schedule of one rank, range by range of the node blocks.
class RootedTwoLevel {
 public:
  RootedTwoLevel(const Algorithm& inter, const Request& request, Rank me, const Topology& topology,
                 uint64_t wanted_segment);
  virtual ~RootedTwoLevel() = default;
  RootedTwoLevel(const RootedTwoLevel&) = delete;
  RootedTwoLevel& operator=(const RootedTwoLevel&) = delete;

  static bool applies(const Algorithm& inter, const Request& request, const Topology& topology,
                      uint64_t segment, std::string* why_not);
  static Cost cost(const Request& request, const Topology& topology, uint64_t segment);

 protected:
  /// Adds the tasks for the range [from, from + segment_) of every node block; `index` counts ranges.
  virtual base::Status add_segment(uint64_t from, uint64_t index) = 0;
  /// Adds all ranges in which this rank takes part: the root's node needs no intermediate leader.
  base::Status add_segments();

  bool is_root() const { return me_ == request_.root; }
  bool is_on_root_node() const { return two_.my_node() == two_.root_node(); }
  /// At the root: node blocks are sent from and received at their offsets in the vector, without a copy.
  bool uses_vector() const { return is_root() && order_.is_contiguous(); }

  /// This rank's schedule of an exchange between the leaders.
  base::Result<Schedule> flat_schedule(const NodeExchange& exchange) const;

  /// Calls visit(piece, buffer) for all pieces of other nodes' ranges; `buffer`: where a piece lies in `packed`.
  template <class Visit>
  void for_each_remote_piece(const NodeExchange& exchange, uint64_t from, BufRef packed, Visit visit) const {
    for (int32_t node = 0; node < two_.node_count(); ++node) {
      if (node == two_.root_node()) continue;
      const uint64_t start = exchange.offsets[static_cast<size_t>(node)];
      for (const NodeOrder::Piece& piece : order_.pieces(node, from, segment_))
        visit(piece, packed.part(start + piece.in_range, piece.length));
    }
  }

  const Request& request_;
  const Rank me_;
  const Algorithm& inter_;
  const TwoLevel two_;
  const NodeOrder order_;
  const uint64_t segment_;
  const Topology flat_;
  ScheduleBuilder builder_;
  SegmentRing memory_;  // the leader's: for one range; the root's: for one range of every node
};

}  // namespace tutti::algorithm
