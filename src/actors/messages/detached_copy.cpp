#include "actors/messages/detached_copy.hpp"

#include <cstring>
#include <new>

namespace tutti::actors {

std::atomic<uint64_t> DetachedCopy::all_bytes_{0};

std::shared_ptr<const DetachedCopy> DetachedCopy::of(std::span<const std::byte> data) {
  const std::shared_ptr<DetachedCopy> copy(
      new DetachedCopy(data.size()));  // its destructor returns the bytes
  if (all_bytes_.fetch_add(data.size(), std::memory_order_relaxed) + data.size() > k_most_bytes)
    return nullptr;
  copy->bytes_.reset(new (std::nothrow) std::byte[data.size()]);
  if (copy->bytes_ == nullptr) return nullptr;
  std::memcpy(copy->bytes_.get(), data.data(), data.size());
  return copy;
}

}  // namespace tutti::actors
