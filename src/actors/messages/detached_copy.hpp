#pragma once
// A copy of an unreceived message, so that its sender need not wait.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace tutti::actors {

/// Several messages may share one copy. Any thread.
class DetachedCopy {
 public:
  /// Limit of all copies of this process: late receivers must not exhaust the memory.
  static constexpr uint64_t k_most_bytes = uint64_t{256} << 20;
  /// nullptr: the limit is reached, or out of memory.
  static std::shared_ptr<const DetachedCopy> of(std::span<const std::byte> data);
  ~DetachedCopy() { all_bytes_.fetch_sub(size_, std::memory_order_relaxed); }
  DetachedCopy(const DetachedCopy&) = delete;
  DetachedCopy& operator=(const DetachedCopy&) = delete;

  std::span<const std::byte> data() const { return {bytes_.get(), size_}; }

 private:
  explicit DetachedCopy(size_t size) : size_(size) {}
  static std::atomic<uint64_t> all_bytes_;
  const size_t size_;
  std::unique_ptr<std::byte[]> bytes_;
};

}  // namespace tutti::actors
