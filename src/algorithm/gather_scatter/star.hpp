#pragma once
// A star: the root receives a block from each of the other ranks (gather) or sends one to each (scatter), to a limited
// number of ranks at a time. The two differ in the direction of the messages only; the algorithms on a star differ in
// the order of ranks and of the pieces of blocks.

#include <utility>

#include "algorithm/block_layout.hpp"
#include "algorithm/in_flight_limit.hpp"
#include "algorithm/parameters.hpp"
#include "algorithm/parts_in_access_order.hpp"
#include "pattern/segments.hpp"

namespace tutti::algorithm {

inline constexpr Parameter k_star_parameters[] = {
    segment_parameter(1 << 20, "bytes per message"),
    {.name = "peers",
     .summary = "ranks that the root serves at a time; 0: all",
     .default_value = 8,
     .min = 0,
     .max = 1 << 20},
};
inline constexpr size_t k_star_segment = 0, k_star_peers = 1;

bool star_applies(const RankInvariantRequest& request, const Topology& topology,
                  const ParameterSet& parameters, std::string* why_not);
/// No sender waits for another one's message.
Cost gather_star_cost(const Request& request, const Topology& topology, const ParameterSet& parameters);
Cost scatter_star_cost(const Request& request, const Topology& topology, const ParameterSet& parameters);

/// One rank's side of all messages.
class Star {
 public:
  Star(const Request& request, Rank me)
      : request_(request),
        is_root_(me == request.root),
        scatters_(is_scatter(request.collective)),
        sends_(scatters_ == is_root_) {}

  ScheduleBuilder& builder() { return builder_; }
  bool is_root() const { return is_root_; }
  /// At the root: where the blocks of all ranks are or arrive.
  BlockLayout blocks() const {
    return {request_.blocks, request_.rank_count, scatters_ ? Slot::input : Slot::output};
  }
  /// Where this rank's own block arrives or is.
  BufRef own() const { return {scatters_ ? Slot::output : Slot::input, 0, request_.own_bytes}; }

  /// Sends or receives a part of a block.
  TaskId move(Rank other, BufRef part, TaskId after = k_no_task) {
    return sends_ ? builder_.send(Peer::rank(other), part, after)
                  : builder_.recv(Peer::rank(other), part, after);
  }
  /// At the root: copies its own block, which is `block` among all blocks, unless it is in place.
  void copy_own(BufRef block) {
    if (request_.in_place) return;
    if (scatters_)
      builder_.copy(block, own());
    else
      builder_.copy(own(), block);
  }
  BuildResult finish() && { return std::move(builder_).finish(); }

 private:
  const Request& request_;
  const bool is_root_, scatters_, sends_;
  ScheduleBuilder builder_;
};

/// The root's messages: the blocks in sequence, cut into segments, with the blocks of `peers` ranks in flight.
class BlocksInLanes {
 public:
  BlocksInLanes(uint64_t block_count, const ParameterSet& parameters)
      : in_flight_(parameters[k_star_peers], block_count), segment_bytes_(parameters[k_star_segment]) {}

  /// `message(part, turn)` adds and returns the task of one segment, which must wait for `turn`.
  template <class Message>
  void add(BufRef block, Message message) {
    const pattern::Segments segments{block.length, segment_bytes_};
    add_step(
        [&](auto visit) {
          for (uint64_t i = 0; i < segments.count(); ++i)
            visit(block.part(segments.offset(i), segments.length(i)));
        },
        message);
  }
  /// The same for the parts of a block that form a run.
  template <class Message>
  void add(BufRef block, const PartsInAccessOrder& order, const PartsInAccessOrder::Run& run,
           Message message) {
    add_step([&](auto visit) { order.for_each_segment(run, block, segment_bytes_, visit); }, message);
  }

 private:
  template <class ForEachSegment, class Message>
  void add_step(ForEachSegment for_each_segment, Message message) {
    const TaskId turn = in_flight_.before(step_);
    TaskId last = k_no_task;
    for_each_segment([&](BufRef part) { last = message(part, turn); });
    if (last != k_no_task) in_flight_.set_last(step_++, last);
  }

  InFlightLimit in_flight_;
  const uint64_t segment_bytes_;
  uint64_t step_ = 0;
};

}  // namespace tutti::algorithm
