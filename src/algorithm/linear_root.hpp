#pragma once
// What linear gather and linear scatter share: the root talks to all others, a bounded number at a time.

#include "algorithm/algorithm.hpp"
#include "algorithm/lanes.hpp"
#include "algorithm/wanted_order.hpp"
#include "pattern/segments.hpp"

namespace tutti::algorithm {

inline constexpr Parameter k_linear_parameters[] = {
    {.name = "segment",
     .summary = "bytes per message",
     .unit = Parameter::Unit::bytes,
     .default_value = 1 << 20,
     .min = 1,
     .max = uint64_t{1} << 30},
    {.name = "peers",
     .summary = "ranks that the root serves at a time; 0: all",
     .default_value = 8,
     .min = 0,
     .max = 1 << 20},
};
inline constexpr size_t k_linear_segment = 0, k_linear_peers = 1;

bool linear_applies(const Request& request, const Topology& topology, const ParameterSet& parameters,
                    std::string* why_not);

// About the blocks of all ranks but the root. Where they are not known, all count as being like the own one.

uint64_t nonempty_blocks_of_others(const Request& request);
uint64_t largest_block_of_others(const Request& request);
uint64_t bytes_of_others(const Request& request);

/// The root's messages: block after block in segments, those of `peers` ranks at a time.
class BlocksInLanes {
 public:
  BlocksInLanes(uint64_t block_count, const ParameterSet& parameters)
      : lanes_(parameters[k_linear_peers], block_count), segment_bytes_(parameters[k_linear_segment]) {}

  /// `message(part, turn)` adds the task of one segment, which waits for `turn`.
  template <class Message>
  void add(schedule::BufRef block, Message message) {
    const pattern::Segments segments{block.length, segment_bytes_};
    add_step(
        [&](auto visit) {
          for (uint64_t i = 0; i < segments.count(); ++i)
            visit(block.part(segments.offset(i), segments.length(i)));
        },
        message);
  }
  /// The same of those parts of a block that make a run.
  template <class Message>
  void add(schedule::BufRef block, const WantedOrder& order, const WantedOrder::Run& run, Message message) {
    add_step([&](auto visit) { order.for_each_segment(run, block, segment_bytes_, visit); }, message);
  }

 private:
  template <class ForEachSegment, class Message>
  void add_step(ForEachSegment for_each_segment, Message message) {
    const schedule::TaskId turn = lanes_.before(step_);
    schedule::TaskId last = schedule::k_no_task;
    for_each_segment([&](schedule::BufRef part) { last = message(part, turn); });
    if (last != schedule::k_no_task) lanes_.set_last(step_++, last);
  }

  Lanes lanes_;
  const uint64_t segment_bytes_;
  uint64_t step_ = 0;
};

}  // namespace tutti::algorithm
