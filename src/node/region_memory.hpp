#pragma once
// Slot::node of schedules: memory in the region that all ranks of a node see (DESIGN §5).

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/engine.hpp"
#include "node/region.hpp"

namespace tutti::node {

/// One rank's view. Used by one thread at a time; the region outlives it.
///
/// The memory has two halves that operations use in turn, so that an operation may write as soon as every
/// rank of the node has ended the operation *before the previous one*: a leader can run one operation ahead
/// of its slowest member. Every member counts the operations it has ended; nothing here waits.
///
/// One operation at a time on each rank, from memory() to end_operation(); all ranks of the node carry out
/// the same operations in the same order.
class RegionMemory final : public engine::NodeMemory {
 public:
  explicit RegionMemory(const Region& region);

  /// Half of the region's memory: region.layout().operation_bytes(). 64-byte aligned.
  std::span<std::byte> memory() override;
  bool may_write() override;
  void end_operation() override;

 private:
  const Region& region_;
  uint32_t ended_;  // operations this rank has ended
};

}  // namespace tutti::node
