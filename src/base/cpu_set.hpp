#pragma once
// Set of processing units (hardware threads) by the operating system's numbers, of any size.

#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tutti::base {

class CpuSet {
 public:
  /// Affinity mask of the calling thread; empty if the kernel does not return it.
  static CpuSet of_this_thread();
  static CpuSet of(const std::vector<unsigned>& units);

  uint32_t count() const { return static_cast<uint32_t>(CPU_COUNT_S(bytes_, set_.get())); }
  bool has(size_t unit) const { return CPU_ISSET_S(unit, bytes_, set_.get()) != 0; }
  bool operator==(const CpuSet& other) const;

  // For system calls.
  const cpu_set_t* get() const { return set_.get(); }
  size_t bytes() const { return bytes_; }

 private:
  struct Free {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
  };

  explicit CpuSet(size_t capacity);

  std::unique_ptr<cpu_set_t, Free> set_;
  size_t bytes_;
};

/// Number of units in the calling thread's affinity mask, at least 1. One system call.
uint32_t usable_cpu_count();

}  // namespace tutti::base
