// Allgather(v) for early return (paper 002, section 4.1.2): a ring of all ranks, node by node. The edges of the receive
// buffers travel first (the head of block 0 and the tail of block p-1), then the blocks. If the program accesses parts
// of several blocks alternately, the first parts of all blocks travel before the next parts.
//
//   round   1     2     3          p = 4, number = block
//   0 ─► 1  0     3     2
//   1 ═► 2  1     0     3          ═► between nodes
//   2 ─► 3  2     1     0
//   3 ═► 0  3     2     1
//
// Rounds p-1, busiest rank Σn - min n bytes (all blocks except that of its successor).

#include <algorithm>

#include "algorithm/allgather/own_block.hpp"
#include "algorithm/applicability.hpp"
#include "algorithm/edges.hpp"
#include "algorithm/parameters.hpp"
#include "algorithm/parts_in_access_order.hpp"
#include "algorithm/phase_allgather.hpp"

namespace tutti::algorithm {
namespace {

constexpr Parameter k_parameters[] = {
    segment_parameter(16 << 10, "bytes that are forwarded together"),
    k_direction_parameter,
    k_stride_parameter,
};

class Ring {
 public:
  Ring(ScheduleBuilder& builder, const Request& request, Rank me, const Topology& topology,
       const ParameterSet& parameters)
      : builder_(builder),
        me_(me),
        last_(request.rank_count - 1),
        segment_(parameters[0]),
        order_(parameters, 1, request.rank_count),
        start_(start_allgather(builder, request, me)),
        ring_(node_by_node(topology, 0)),
        position_(static_cast<size_t>(std::ranges::find(ring_, me) - ring_.begin())) {}

  void add() {
    if (last_ == 0) return;
    pass_on(0, [](const EdgesFirst& parts) { return parts.head; });
    pass_on(last_, [](const EdgesFirst& parts) { return parts.tail; });
    for (size_t round = 0; round < order_.most_runs_of_block(); ++round)
      for (size_t distance = 0; distance < ring_.size(); ++distance)
        pass_on_run(ring_[(position_ + ring_.size() - distance) % ring_.size()], round);
  }

 private:
  Rank next() const { return ring_[(position_ + 1) % ring_.size()]; }
  Rank previous() const { return ring_[(position_ + ring_.size() - 1) % ring_.size()]; }

  EdgesFirst parts_of(Rank origin) const {
    const BufRef block = origin == me_ ? start_.own : start_.places[static_cast<size_t>(origin)];
    return {block, origin == 0, origin == last_};
  }

  void pass_on_run(Rank origin, size_t index) {
    if (const PartsInAccessOrder::Run* const run = order_.run_of(origin, index))
      order_.for_each_segment(*run, parts_of(origin).body, segment_,
                              [&](BufRef part) { pass_on(origin, part); });
  }

  template <class Choose>
  void pass_on(Rank origin, Choose choose) {
    pass_on(origin, choose(parts_of(origin)));
  }

  /// Receives from the previous rank unless the block is this rank's; sends to the next rank unless it is that rank's.
  void pass_on(Rank origin, BufRef part) {
    const TaskId arrived = origin != me_ ? builder_.recv(Peer::rank(previous()), part) : k_no_task;
    if (origin != next()) builder_.send(Peer::rank(next()), part, arrived);
  }

  ScheduleBuilder& builder_;
  Rank me_, last_;
  uint64_t segment_;
  PartsInAccessOrder order_;
  AllgatherStart start_;
  std::vector<Rank> ring_;
  size_t position_;
};

BuildResult build(const Request& request, Rank me, const Topology& topology, const ParameterSet& parameters) {
  ScheduleBuilder builder;
  Ring(builder, request, me, topology, parameters).add();
  return std::move(builder).finish();
}

constexpr Algorithm row(Collective collective) {
  return {.name = "ordered",
          .summary = "the edges of buffers, then every block around a ring: for calls that return early",
          .source = "after Li, Sun, Huo, Ma: T-NBC, section 4.1.2",
          .collective = collective,
          .parameters = k_parameters,
          .applies = blocks_in_segments<0>,
          .build = build,
          .cost = ring_allgather_cost,
          .is_for_early_return = true};
}

}  // namespace

extern const Algorithm allgather_ordered = row(Collective::allgather);
extern const Algorithm allgatherv_ordered = row(Collective::allgatherv);

}  // namespace tutti::algorithm
