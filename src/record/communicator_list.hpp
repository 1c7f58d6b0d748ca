#pragma once
// The communicators of a run, as one rank has seen them come.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "record/rank_file.hpp"
#include "record/track.hpp"

namespace tutti::record {

/// Any thread.
class CommunicatorList {
 public:
  /// Later ones are not recorded, so that a program that makes communicators for ever does not fill the memory.
  static constexpr size_t k_most = 1U << 16;

  /// `on_new` is told of each in the order of their numbers, under the lock.
  explicit CommunicatorList(std::function<void(const CommunicatorDescription&)> on_new)
      : on_new_(std::move(on_new)) {}

  /// A communicator has been made. `number`: CommunicatorDescription's. nullptr: there are too many. The track lives as
  /// long as the list.
  Track* add(uint32_t rank, std::span<const int> world_ranks, uint32_t number, std::string name);
  /// Of a persistent request of the communicator of `track`; lives as long as the list.
  Track* add_stream(Track& track);
  std::vector<CommunicatorDescription> all() const;
  /// How many were not taken.
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
  // The lists of members, and how many communicators of each number have had them.
  std::map<std::vector<uint32_t>, std::map<uint32_t, uint32_t>> members_;
  std::vector<Entry> entries_;
  std::vector<std::unique_ptr<Track>> tracks_;
  uint64_t left_out_ = 0;
};

}  // namespace tutti::record
