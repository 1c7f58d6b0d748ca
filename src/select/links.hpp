#pragma once
// Speed of the network between the nodes. The built-in rules were derived on links of 1 Gbit/s, and apply only to links
// of similar speed. Rank-invariant. Pure data; any thread.

#include <cstdint>
#include <string>

namespace tutti::select {

struct Links {
  /// From the shortest round trip times, in ns, of a message of one byte and of one of k_long_bytes (each with an
  /// answer of one byte). k_unknown_ns: the links are taken as not slow.
  static Links measured(uint64_t short_ns, uint64_t long_ns);
  static constexpr uint64_t k_unknown_ns = INT64_MAX;
  /// Speed given by a setting.
  static Links said(bool are_slow) { return {.are_slow = are_slow}; }

  /// Size of the long message: large compared with the burst that a token bucket passes at once.
  static constexpr uint64_t k_long_bytes = uint64_t{512} << 10;

  bool are_slow = true;
  uint64_t megabits_per_s = 0;  // 0: not measured
  uint64_t latency_ns = 0;      // of a short message, one way

  /// One line, without the phrase "between nodes".
  std::string description() const;
};

}  // namespace tutti::select
