#pragma once
// A node of the simulation. The simulation steps it, and it returns the cycle of its next step.

#include <cstdint>

namespace tutti::offload::model {

class Node {
 public:
  virtual ~Node() = default;
  /// The cycle `now`, after the network's. Steps in which nothing can happen may be left out, or added, and
  /// change nothing. Returns the next cycle after `now` in which the node wants to be stepped even when the
  /// network has nothing for it; UINT64_MAX: none.
  virtual uint64_t step(uint64_t now) = 0;
  /// The node has finished its own work. It still answers others.
  virtual bool is_done() const = 0;
};

}  // namespace tutti::offload::model
