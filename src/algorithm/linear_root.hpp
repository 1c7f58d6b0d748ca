#pragma once
// Shared by linear gather and linear scatter: the root exchanges messages with all other ranks, a limited number at a
// time.

#include "algorithm/algorithm.hpp"
#include "algorithm/in_flight_limit.hpp"
#include "algorithm/parameters.hpp"
#include "algorithm/parts_in_access_order.hpp"
#include "pattern/segments.hpp"

namespace tutti::algorithm {

inline constexpr Parameter k_linear_parameters[] = {
    segment_parameter(1 << 20, "bytes per message"),
    {.name = "peers",
     .summary = "ranks that the root serves at a time; 0: all",
     .default_value = 8,
     .min = 0,
     .max = 1 << 20},
};
inline constexpr size_t k_linear_segment = 0, k_linear_peers = 1;

bool linear_applies(const Request& request, const Topology& topology, const ParameterSet& parameters,
                    std::string* why_not);

// Properties of the blocks of all ranks except the root. If the sizes are not known, this rank's block stands for all.

uint64_t nonempty_blocks_of_others(const Request& request);
uint64_t largest_block_of_others(const Request& request);
uint64_t bytes_of_others(const Request& request);

/// The root's messages: the blocks in sequence, cut into segments, with the blocks of `peers` ranks in flight.
class BlocksInLanes {
 public:
  BlocksInLanes(uint64_t block_count, const ParameterSet& parameters)
      : in_flight_(parameters[k_linear_peers], block_count), segment_bytes_(parameters[k_linear_segment]) {}

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
