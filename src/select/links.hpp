#pragma once
// How fast the network between the nodes is. The built-in rules were made on links of 1 Gbit/s, and hold only where
// links are about as slow. The same on all ranks. Pure data; any thread.

#include <cstdint>
#include <string>

namespace tutti::select {

struct Links {
  /// From what messages took there and back (an answer of one byte), in ns, at the least: a message of one byte, and
  /// one of k_long_bytes. k_unknown_ns: then the links are not slow.
  static Links measured(uint64_t short_ns, uint64_t long_ns);
  static constexpr uint64_t k_unknown_ns = INT64_MAX;
  /// As somebody says.
  static Links said(bool are_slow) { return {.are_slow = are_slow}; }

  /// Of a message by which links are measured: what a token bucket lets through at once is little of it.
  static constexpr uint64_t k_long_bytes = uint64_t{512} << 10;

  bool are_slow = true;
  uint64_t megabits_per_s = 0;  // 0: not measured
  uint64_t latency_ns = 0;      // of a short message, one way

  /// One line without "between nodes".
  std::string description() const;
};

}  // namespace tutti::select
