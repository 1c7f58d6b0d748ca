#pragma once
// The calls of a run in which most time was spent waiting.

#include <cstdint>
#include <vector>

#include "record/analysis/call_instance.hpp"
#include "record/analysis/lateness.hpp"

namespace tutti::record::analysis {

struct WaitedCall {
  uint64_t waiting_ns = 0;  // of all its ranks
  CallInstance call;
  Lateness lateness;
};

/// Keeps the calls with most waiting, with `most_records` records of ranks together.
class WorstCalls {
 public:
  explicit WorstCalls(uint64_t most_records) : most_records_(most_records) {}

  void add(const CallInstance& call, const Lateness& lateness);
  /// Returns them in the order of their first arrivals.
  std::vector<WaitedCall> take();
  /// Number of calls that were added and not kept.
  uint64_t left_out() const { return left_out_; }

 private:
  const uint64_t most_records_;
  std::vector<WaitedCall> heap_;  // the least waiting on top
  uint64_t records_ = 0, left_out_ = 0;
};

}  // namespace tutti::record::analysis
