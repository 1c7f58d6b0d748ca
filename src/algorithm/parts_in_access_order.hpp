#pragma once
// The order in which the program accesses the result of a collective, for algorithms that deliver the result in this
// order (paper 002, section 5.2).
//
// A result of N blocks has N·F parts, F = max(1, 32/N). Every rank knows the offset of each part in its block, for any
// layout of the blocks:
//
//   block      0           1           2           N = 3, F = 4
//   part    0  1  2  3  4  5  6  7  8  9 10 11     stride 4: 0 4 8 1 5 9 2 6 10 3 7 11

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithm/parameters.hpp"
#include "algorithm/rank_invariant_request.hpp"
#include "pattern/access_order.hpp"
#include "schedule/task.hpp"

namespace tutti::algorithm {

inline constexpr std::string_view k_directions[] = {"forward", "backward"};

/// Parameters of such an algorithm; they are its last two.
inline constexpr Parameter k_direction_parameter =
    choice_parameter("direction", "from which end the program uses the result", k_directions);
inline constexpr Parameter k_stride_parameter{.name = "stride",
                                              .summary = "parts from one use to the next, of about 32",
                                              .default_value = 1,
                                              .min = 1,
                                              .max = 1 << 20};

/// Index of these two among an algorithm's parameters; nullopt if it supports no order.
std::optional<size_t> order_parameters(const Algorithm& algorithm);

/// Number of parts per block in a result of `blocks` blocks.
constexpr uint32_t parts_per_block(Rank blocks) {
  constexpr Rank k_parts = 32;
  return static_cast<uint32_t>(std::max(1, k_parts / blocks));
}

/// Number of parts of a result of `blocks` blocks.
constexpr uint32_t part_count(Rank blocks) {
  return parts_per_block(blocks) * static_cast<uint32_t>(blocks);
}

/// Number of blocks that make up the result, on ranks that receive one.
Rank blocks_of_result(const RankInvariantRequest& request);
/// The parts of the result in this rank's output; a part is empty if none of it comes from another rank.
std::vector<BufRef> parts_of_result(const Request& request, Rank me);

/// Parts [first, end) of a block that is cut into `of` parts. Cuts are at segment boundaries, so that parts of short
/// blocks may be empty.
inline BufRef cut(BufRef block, uint32_t first, uint32_t end, uint32_t of, uint64_t segment_bytes) {
  const auto place = [&](uint32_t part) {
    const uint64_t exact = block.length / of * part + block.length % of * part / of;
    const uint64_t rounded = (exact + segment_bytes - 1) / segment_bytes * segment_bytes;
    return part == of ? block.length : std::min(rounded, block.length);
  };
  return block.part(place(first), place(end) - place(first));
}

/// The parts of a result in the order in which the program accesses them.
class PartsInAccessOrder {
 public:
  /// Consecutively accessed parts of one block.
  struct Run {
    Rank block;
    std::span<const uint32_t> parts;  // numbers within the block
  };

  PartsInAccessOrder(pattern::AccessOrder order, Rank blocks);
  /// `parameters`: of an algorithm whose direction and stride are at `first` and `first` + 1.
  PartsInAccessOrder(const ParameterSet& parameters, size_t first, Rank blocks)
      : PartsInAccessOrder({.is_backward = parameters[first] != 0, .stride = parameters[first + 1]}, blocks) {
  }
  PartsInAccessOrder(const PartsInAccessOrder&) = delete;
  PartsInAccessOrder& operator=(const PartsInAccessOrder&) = delete;

  std::span<const Run> runs() const { return runs_; }
  /// Maximum number of runs per block.
  size_t most_runs_of_block() const { return most_runs_; }
  /// Run number `index` of a block; nullptr if the block has fewer.
  const Run* run_of(Rank block, size_t index) const;
  /// Calls `visit(Run)` for the runs of a block.
  template <class Visit>
  void for_each_run_of(Rank block, Visit visit) const {
    for (const size_t run : of_block_[static_cast<size_t>(block)]) visit(runs_[run]);
  }

  /// Calls `visit(BufRef)` for the parts of `block` in a run, divided into segments.
  template <class Visit>
  void for_each_segment(const Run& run, BufRef block, uint64_t segment_bytes, Visit visit) const {
    for (size_t i = 0; i < run.parts.size();) {
      size_t end = i + 1;
      while (end < run.parts.size() && run.parts[end] == run.parts[end - 1] + 1) ++end;
      const BufRef stretch = cut(block, run.parts[i], run.parts[end - 1] + 1, per_block_, segment_bytes);
      for (uint64_t at = 0; at < stretch.length; at += segment_bytes)
        visit(stretch.part(at, std::min(segment_bytes, stretch.length - at)));
      i = end;
    }
  }

 private:
  const uint32_t per_block_;
  std::vector<uint32_t> parts_;  // numbers within their blocks
  std::vector<Run> runs_;
  std::vector<std::vector<size_t>> of_block_;  // indices of runs
  size_t most_runs_ = 0;
};

}  // namespace tutti::algorithm
