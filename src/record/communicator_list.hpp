#pragma once
// The communicators that one rank has created during a run.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "record/operation_counter.hpp"
#include "record/rank_file.hpp"

namespace tutti::record {

/// Any thread.
class CommunicatorList {
 public:
  /// Further communicators are not recorded, so that a program that creates them without end does not fill the memory.
  static constexpr size_t k_most = 1U << 16;

  /// Calls `on_new` for each communicator, in the order of their numbers and under the lock.
  explicit CommunicatorList(std::function<void(const CommunicatorDescription&)> on_new)
      : on_new_(std::move(on_new)) {}

  /// Adds a new communicator. `number`: CommunicatorDescription's. Returns nullptr if there are k_most already. The
  /// counter lives as long as the list.
  OperationCounter* add(uint32_t rank, std::span<const int> world_ranks, uint32_t number, std::string name);
  /// Adds a persistent request on the communicator of `counter`. The result lives as long as the list.
  OperationCounter* add_stream(OperationCounter& counter);
  std::vector<CommunicatorDescription> all() const;
  /// Number of communicators that were not recorded.
  uint64_t left_out() const;

 private:
  struct Entry {
    uint32_t rank, number, generation;
    const std::vector<uint32_t>* members;
    std::string name;

    CommunicatorDescription in_words() const;
  };
  const std::function<void(const CommunicatorDescription&)> on_new_;
  mutable std::mutex mutex_;
  // For each list of members: the number of communicators, by CommunicatorDescription::number.
  std::map<std::vector<uint32_t>, std::map<uint32_t, uint32_t>> members_;
  std::vector<Entry> entries_;
  std::vector<std::unique_ptr<OperationCounter>> counters_;
  uint64_t left_out_ = 0;
};

}  // namespace tutti::record
