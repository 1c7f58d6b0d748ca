#include "offload/radix.hpp"

#include <algorithm>

#include "offload/rounds.hpp"

namespace tutti::offload {

using pattern::DisseminationShape;

namespace {

/// The engines of one node: the time from which each is free.
class NodeClock {
 public:
  explicit NodeClock(const NetworkCosts& costs) : costs_(costs) {}

  /// A round that sends and receives `count` messages, all ready at `start`; returns the time when the last
  /// one is received. All nodes act identically, so the node's own sends also stand for its receives.
  uint64_t exchange(uint64_t start, size_t count) {
    uint64_t end = start;
    for (size_t i = 0; i < count; ++i) end = receive(send(start) + costs_.latency_ps);
    return end;
  }

 private:
  /// The time when a message that is ready at `ready` has left the port.
  uint64_t send(uint64_t ready) {
    const uint64_t start = std::max(ready, send_free_);
    send_free_ = start + std::max(costs_.send_overhead_ps, costs_.gap_ps);
    port_free_ = std::max(start + costs_.send_overhead_ps, port_free_) + costs_.serialisation_ps;
    return port_free_;
  }
  uint64_t receive(uint64_t arrived) {
    const uint64_t start = std::max(arrived, receive_free_);
    receive_free_ = start + std::max(costs_.receive_overhead_ps, costs_.gap_ps);
    return start + costs_.receive_overhead_ps;
  }

  const NetworkCosts& costs_;
  uint64_t send_free_ = 0, port_free_ = 0, receive_free_ = 0;
};

}  // namespace

RadixTime dissemination_time(uint32_t nodes, uint32_t radix, DisseminationShape shape,
                             const NetworkCosts& costs) {
  RadixTime time{.radix = radix};
  NodeClock clock(costs);
  for (const auto& distances : pattern::dissemination_rounds(nodes, radix, shape)) {
    const uint64_t ready = time.rounds == 0 ? 0 : time.time_ps + costs.round_ps;
    time.time_ps = clock.exchange(ready, distances.size());
    time.messages += static_cast<uint32_t>(distances.size());
    ++time.rounds;
  }
  return time;
}

std::vector<RadixTime> dissemination_times(uint32_t nodes, DisseminationShape shape,
                                           const NetworkCosts& costs) {
  std::vector<RadixTime> times;
  for (uint32_t radix = k_least_radix; radix <= k_most_radix; ++radix) {
    if (shape == DisseminationShape::symmetric && radix % 2 == 0) continue;
    const RadixTime time = dissemination_time(nodes, radix, shape, costs);
    if (time.rounds <= k_most_rounds) times.push_back(time);
  }
  return times;
}

RadixTime best_of(const std::vector<RadixTime>& times) {
  return *std::min_element(times.begin(), times.end(),
                           [](const RadixTime& a, const RadixTime& b) { return a.time_ps < b.time_ps; });
}

}  // namespace tutti::offload
