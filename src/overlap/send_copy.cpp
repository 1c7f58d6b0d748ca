#include "overlap/send_copy.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

namespace tutti::overlap {

using base::Result;
using base::Status;

namespace {

struct Block {
  std::byte* data;
  uint64_t bytes;
};

/// Unused blocks, the most recently used last. Never destroyed: copies may outlive main().
class Pool {
 public:
  /// Returns a block of at least that size and at most twice, or an empty one.
  Block take(uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(blocks_.rbegin(), blocks_.rend(), [&](const Block& block) {
      return block.bytes >= bytes && block.bytes <= 2 * bytes;
    });
    if (found == blocks_.rend()) return {};
    const Block block = *found;
    blocks_.erase(std::next(found).base());
    kept_bytes_ -= block.bytes;
    return block;
  }

  void give(Block block) {
    std::vector<Block> dropped;
    {
      const std::lock_guard lock(mutex_);
      blocks_.push_back(block);
      kept_bytes_ += block.bytes;
      while (kept_bytes_ > k_most_kept_bytes) {
        kept_bytes_ -= blocks_.front().bytes;
        dropped.push_back(blocks_.front());
        blocks_.erase(blocks_.begin());
      }
    }
    for (const Block& old : dropped) munmap(old.data, old.bytes);
  }

 private:
  static constexpr uint64_t k_most_kept_bytes = uint64_t{256} << 20;

  std::mutex mutex_;
  std::vector<Block> blocks_;
  uint64_t kept_bytes_ = 0;
};

Pool& pool() {
  static auto* const one = new Pool;
  return *one;
}

}  // namespace

Result<SendCopy> SendCopy::of(const std::byte* buffer, uint64_t bytes, std::span<const guard::Part> parts) {
  const uint64_t rounded = std::bit_ceil(std::max<uint64_t>(bytes, guard::page_bytes()));
  Block block = pool().take(rounded);
  if (block.data == nullptr) {
    void* const fresh = mmap(nullptr, rounded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED) return Status{base::Code::out_of_memory, "no memory for a copy of what is sent"};
    block = {static_cast<std::byte*>(fresh), rounded};
  }
  SendCopy copy(block.data, block.bytes);
  for (const guard::Part& part : parts)
    std::memcpy(copy.data_ + part.offset, buffer + part.offset, part.bytes);
  return copy;
}

SendCopy::SendCopy(SendCopy&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), block_bytes_(std::exchange(other.block_bytes_, 0)) {}

SendCopy& SendCopy::operator=(SendCopy&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(block_bytes_, other.block_bytes_);
  return *this;
}

SendCopy::~SendCopy() {
  if (data_ != nullptr) pool().give({data_, block_bytes_});
}

}  // namespace tutti::overlap
