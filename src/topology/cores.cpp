#include "topology/cores.hpp"

#include <sched.h>

#include <cerrno>
#include <memory>

namespace tutti::topology {
namespace {

struct FreeCpuSet {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};

}  // namespace

uint32_t usable_cpu_count() {
  // The kernel refuses a set that is smaller than its own, whose size cannot be asked for.
  for (int capacity = CPU_SETSIZE; capacity <= 1 << 20; capacity *= 4) {
    const std::unique_ptr<cpu_set_t, FreeCpuSet> set(CPU_ALLOC(static_cast<size_t>(capacity)));
    const size_t bytes = CPU_ALLOC_SIZE(static_cast<size_t>(capacity));
    if (set == nullptr) return 1;
    if (sched_getaffinity(0, bytes, set.get()) == 0)
      return static_cast<uint32_t>(CPU_COUNT_S(bytes, set.get()));
    if (errno != EINVAL) return 1;
  }
  return 1;
}

}  // namespace tutti::topology
