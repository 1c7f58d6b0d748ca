#include "base/cpu_set.hpp"

#include <algorithm>
#include <cerrno>
#include <new>

namespace tutti::base {

namespace {

constexpr size_t k_most_units = size_t{1} << 20;

}  // namespace

CpuSet::CpuSet(size_t capacity) : set_(CPU_ALLOC(capacity)), bytes_(CPU_ALLOC_SIZE(capacity)) {
  if (set_ == nullptr) throw std::bad_alloc();
  CPU_ZERO_S(bytes_, set_.get());
}

CpuSet CpuSet::of_this_thread() {
  // The kernel rejects a set smaller than its own, whose size cannot be queried.
  for (size_t capacity = CPU_SETSIZE; capacity <= k_most_units; capacity *= 4) {
    CpuSet set(capacity);
    if (sched_getaffinity(0, set.bytes_, set.set_.get()) == 0) return set;
    if (errno != EINVAL) break;
  }
  return CpuSet(CPU_SETSIZE);
}

CpuSet CpuSet::of(const std::vector<unsigned>& units) {
  const size_t last = units.empty() ? 0 : *std::ranges::max_element(units);
  CpuSet set(std::max<size_t>(CPU_SETSIZE, last + 1));
  for (const unsigned unit : units) CPU_SET_S(unit, set.bytes_, set.set_.get());
  return set;
}

bool CpuSet::operator==(const CpuSet& other) const {
  for (size_t unit = 0; unit < 8 * std::max(bytes_, other.bytes_); ++unit)
    if (has(unit) != other.has(unit)) return false;
  return true;
}

uint32_t usable_cpu_count() {
  return std::max(1u, CpuSet::of_this_thread().count());
}

}  // namespace tutti::base
