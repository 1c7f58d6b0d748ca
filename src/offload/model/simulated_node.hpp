#pragma once
// A node of the simulation, which calls its steps. Each step returns the cycle of the next one.

#include <cstdint>

namespace tutti::offload::model {

class SimulatedNode {
 public:
  virtual ~SimulatedNode() = default;
  /// Simulates cycle `now`, after the network's. Steps in which nothing can happen may be skipped or added
  /// without effect. Returns the next cycle after `now` in which the node must be stepped even if the network
  /// has nothing for it; UINT64_MAX: none.
  virtual uint64_t step(uint64_t now) = 0;
  /// True when the node has finished its own work. It still answers other nodes.
  virtual bool is_done() const = 0;
};

}  // namespace tutti::offload::model
