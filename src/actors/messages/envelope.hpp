#pragma once
// The matching criteria of messages (MPI 4.0, §3.2.3 and §3.5).

#include <cstdint>

namespace tutti::actors {

/// Wildcard for the source or tag of receives and probes.
inline constexpr int32_t k_any = -1;

/// The envelope of a message.
struct Envelope {
  uint64_t context = 0;  // a communicator and a kind of traffic; matches only itself
  int32_t source = 0;    // rank in the communicator
  int32_t tag = 0;
};

/// The matching pattern of a receive or a probe.
struct Pattern {
  uint64_t context = 0;
  int32_t source = k_any, tag = k_any;

  bool matches(const Envelope& envelope) const {
    return context == envelope.context && (source == k_any || source == envelope.source) &&
           (tag == k_any || tag == envelope.tag);
  }
};

}  // namespace tutti::actors
