#pragma once
// Node memory for ranks that are threads of one process. One area for all operations, so an operation writes
// only when every rank has ended the one before: as strict as NodeMemory allows.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "engine/engine.hpp"

namespace tutti::test {

class SharedNode {
 public:
  SharedNode(size_t member_count, size_t bytes) : bytes_(bytes), ended_(member_count) {}

  /// The view of one member.
  class View final : public engine::NodeMemory {
   public:
    View(SharedNode& node, size_t member) : node_(node), member_(member) {}
    std::span<std::byte> memory() override { return node_.bytes_; }
    bool may_write() override {
      return std::ranges::all_of(node_.ended_, [&](const std::atomic<uint32_t>& ended) {
        return ended.load(std::memory_order_acquire) >= own_ended_;
      });
    }
    void end_operation() override { node_.ended_[member_].store(++own_ended_, std::memory_order_release); }

   private:
    SharedNode& node_;
    const size_t member_;
    uint32_t own_ended_ = 0;
  };

 private:
  std::vector<std::byte> bytes_;
  std::vector<std::atomic<uint32_t>> ended_;  // operations, by member
};

}  // namespace tutti::test
