#include "engine/scratch.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <new>
#include <string>
#include <vector>

namespace tutti::engine {

namespace {

constexpr std::align_val_t k_alignment{64};

std::byte* allocate(uint64_t bytes) {
  return static_cast<std::byte*>(::operator new(bytes, k_alignment, std::nothrow));
}
void deallocate(std::byte* data) {
  ::operator delete(data, k_alignment);
}

/// Large pieces kept for reuse by any communicator: fresh memory costs a page fault every 4 KiB, which is
/// noticeable compared with a copy of the same size.
class Pool {
 public:
  Pool() { pieces_.reserve(k_piece_count); }

  /// A kept piece of exactly `bytes`, or nullptr.
  std::byte* take(uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(pieces_, bytes, &Piece::bytes);
    if (found == pieces_.end()) return nullptr;
    std::byte* const data = found->data;
    kept_bytes_ -= bytes;
    pieces_.erase(found);
    return data;
  }

  /// Keeps the piece; frees the oldest ones if the pool is full.
  void keep(std::byte* data, uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes > k_kept_pool_bytes) return deallocate(data);
    while (pieces_.size() == k_piece_count || kept_bytes_ + bytes > k_kept_pool_bytes) {
      deallocate(pieces_.front().data);
      kept_bytes_ -= pieces_.front().bytes;
      pieces_.erase(pieces_.begin());
    }
    pieces_.push_back({data, bytes});
    kept_bytes_ += bytes;
  }

 private:
  static constexpr size_t k_piece_count = 64;

  struct Piece {
    std::byte* data;
    uint64_t bytes;
  };
  std::mutex mutex_;
  std::vector<Piece> pieces_;
  uint64_t kept_bytes_ = 0;
};

Pool& pool() {
  // Never destroyed: programs may call MPI until process exit, from destructors of static objects.
  static Pool* const instance = new Pool;
  return *instance;
}

}  // namespace

Scratch::~Scratch() {
  give_back();
}

base::Status Scratch::require(uint64_t bytes) {
  if (bytes <= capacity_bytes_) return {};
  give_back();
  // Powers of two, so that pieces can be reused; above 1 MiB in steps of an eighth, so that little is wasted.
  const uint64_t step =
      bytes > (1 << 20) ? std::bit_floor(bytes) / 8 : std::bit_ceil(std::max<uint64_t>(bytes, 64));
  const uint64_t rounded = (bytes + step - 1) & ~(step - 1);
  if (rounded > k_kept_scratch_bytes) data_ = pool().take(rounded);
  if (data_ == nullptr) data_ = allocate(rounded);
  if (data_ == nullptr)
    return {base::Code::out_of_memory, "no memory for " + std::to_string(rounded) + " bytes of scratch"};
  capacity_bytes_ = rounded;
  return {};
}

void Scratch::trim() {
  if (capacity_bytes_ > k_kept_scratch_bytes) give_back();
}

void Scratch::give_back() {
  if (data_ == nullptr) return;
  if (capacity_bytes_ > k_kept_scratch_bytes)
    pool().keep(data_, capacity_bytes_);
  else
    deallocate(data_);
  data_ = nullptr;
  capacity_bytes_ = 0;
}

}  // namespace tutti::engine
