#include "topology/cores.hpp"

#include <sched.h>

#include <cerrno>
#include <memory>
#include <utility>

namespace tutti::topology {
namespace {

struct FreeCpuSet {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};

/// The affinity mask; without one where it cannot be read.
struct Mask {
  std::unique_ptr<cpu_set_t, FreeCpuSet> set;
  size_t bytes = 0;
};

Mask read_mask() {
  // The kernel refuses a set that is smaller than its own, whose size cannot be asked for.
  for (int capacity = CPU_SETSIZE; capacity <= 1 << 20; capacity *= 4) {
    Mask mask;
    mask.set.reset(CPU_ALLOC(static_cast<size_t>(capacity)));
    mask.bytes = CPU_ALLOC_SIZE(static_cast<size_t>(capacity));
    if (mask.set == nullptr) return {};
    if (sched_getaffinity(0, mask.bytes, mask.set.get()) == 0) return mask;
    if (errno != EINVAL) return {};
  }
  return {};
}

}  // namespace

uint32_t usable_cpu_count() {
  const Mask mask = read_mask();
  return mask.set == nullptr ? 1 : static_cast<uint32_t>(CPU_COUNT_S(mask.bytes, mask.set.get()));
}

uint64_t usable_cpu_fingerprint() {
  const Mask mask = read_mask();
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (size_t unit = 0; unit < 8 * mask.bytes; ++unit)
    if (CPU_ISSET_S(unit, mask.bytes, mask.set.get())) hash = (hash ^ unit) * 0x100000001b3;
  return hash;
}

}  // namespace tutti::topology
