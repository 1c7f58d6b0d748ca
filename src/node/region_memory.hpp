#pragma once
// The memory for Slot::node of schedules: shared by all ranks of a node, in their region (DESIGN §5).

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/engine.hpp"
#include "node/region.hpp"

namespace tutti::node {

/// One rank's access to it. Used by one thread at a time; the region must outlive it.
///
/// Operations use the two halves of the memory alternately, so that an operation may write as soon as every
/// rank of the node has ended the operation *before the previous one*: a leader can run one operation ahead
/// of its slowest member. Every member counts its ended operations; no function here waits.
///
/// Each rank runs one operation at a time, from memory() to end_operation(); all ranks of the node run the
/// same operations in the same order.
class RegionMemory final : public engine::NodeMemory {
 public:
  explicit RegionMemory(const Region& region);

  /// One half of the region's memory: region.layout().operation_bytes(). 64-byte aligned.
  std::span<std::byte> memory() override;
  bool may_write() override;
  void end_operation() override;

 private:
  const Region& region_;
  uint32_t ended_;  // number of operations that this rank has ended
};

}  // namespace tutti::node
