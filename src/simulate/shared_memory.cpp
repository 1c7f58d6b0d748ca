#include "simulate/shared_memory.hpp"

#include <algorithm>

namespace tutti::simulate {

namespace {

constexpr uint64_t k_parts = 1 << 16;  // per byte
using Wide = unsigned __int128;

}  // namespace

uint64_t SharedMemory::fs_per_byte() const {
  return std::max(copy_fs_, shared_fs_ * copies_.size());
}

void SharedMemory::advance(uint64_t now) {
  const uint64_t price = fs_per_byte();
  if (!copies_.empty() && price > 0)
    progress_ += static_cast<uint64_t>(Wide{now - now_} * 1000 * k_parts / price);
  now_ = now;
}

void SharedMemory::start(uint64_t now, uint32_t who, uint64_t bytes) {
  advance(now);
  if (copies_.empty()) progress_ = 0;  // the origin is arbitrary; avoids an overflow
  const Copy copy{who, progress_ + bytes * k_parts};
  copies_.insert(std::ranges::upper_bound(copies_, copy.end, {}, &Copy::end), copy);
}

std::optional<uint64_t> SharedMemory::next_end() const {
  if (copies_.empty()) return std::nullopt;
  const uint64_t end = copies_.front().end, left = end > progress_ ? end - progress_ : 0;
  const Wide rounded_up = (Wide{left} * fs_per_byte() + Wide{1000} * k_parts - 1) / (Wide{1000} * k_parts);
  return static_cast<uint64_t>(std::min(now_ + rounded_up, Wide{UINT64_MAX}));
}

void SharedMemory::take_ended(uint64_t now, std::vector<uint32_t>& whose) {
  const bool is_due = next_end().value_or(UINT64_MAX) <= now;
  advance(now);
  // A copy that is due ends regardless of rounding.
  if (is_due) progress_ = std::max(progress_, copies_.front().end);
  const auto first_left = std::ranges::upper_bound(copies_, progress_, {}, &Copy::end);
  for (auto copy = copies_.begin(); copy != first_left; ++copy) whose.push_back(copy->who);
  copies_.erase(copies_.begin(), first_left);
}

}  // namespace tutti::simulate
