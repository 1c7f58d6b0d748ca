#pragma once
// Records loops of tests for requests and messages as waiting time. It is unknown whether the program computes between
// two tests; if they follow each other closely, it is assumed to wait.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "record/rank_record.hpp"

namespace tutti::record {

/// A thread's closely spaced tests that have failed so far. Used by that thread. Constant-initialised.
class TestsInLoop {
 public:
  /// A test begins.
  void begin(RankRecord& record, uint64_t now_ns) {
    if (first_ns_ != 0 && now_ns - last_ns_ > k_most_between_ns) end(record);
  }
  /// The test, which began at `began_ns` in the function `name`, has failed. `add_awaited(tests)` adds the awaited
  /// ranks; it is called for the first test of a loop only.
  template <class AddAwaited>
  void failed(RankRecord& record, const std::string* name, uint64_t began_ns, uint64_t now_ns,
              AddAwaited add_awaited) {
    if (first_ns_ == 0) {
      first_ns_ = began_ns;
      name_ = name;
      count_ = 0;
      add_awaited(*this);
    }
    last_ns_ = now_ns;
    if (now_ns - first_ns_ > k_most_ns) end(record, now_ns);
  }
  /// `peer`: a rank of the counter's communicator; negative: any.
  void add(const OperationCounter* counter, int peer) {
    if (count_ < k_most && counter != nullptr) awaited_[count_++] = {counter, peer};
  }
  /// Writes the loop into the record: until its last test, or until `at_ns`.
  void end(RankRecord& record) { end(record, last_ns_); }
  void end(RankRecord& record, uint64_t at_ns);

 private:
  /// Longest time between two tests of a loop; a longer time counts as work. Allows for short sleeps, which take longer
  /// than requested.
  static constexpr uint64_t k_most_between_ns = 2'000'000;
  /// A long loop is recorded in parts, so that a program that hangs in it leaves a record, too.
  static constexpr uint64_t k_most_ns = 100'000'000;
  static constexpr size_t k_most = 8;  // peers that are recorded
  struct AwaitedRank {
    const OperationCounter* counter;
    int peer;
  };

  uint64_t first_ns_ = 0, last_ns_ = 0;  // first_ns_ == 0: there are none
  const std::string* name_ = nullptr;
  std::array<AwaitedRank, k_most> awaited_{};
  size_t count_ = 0;
};

}  // namespace tutti::record
