#include "overlap/guard/unit.hpp"

#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "overlap/guard/closed_ranges.hpp"

namespace tutti::overlap::guard {

namespace {

constexpr uint64_t k_small = 64 << 10, k_large = 256 << 10;

uint64_t thread_cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

/// CPU time to remove the access rights of used pages, which is typical of all changes to used pages.
uint64_t change_ns(void* memory, uint64_t bytes) {
  std::array<uint64_t, 7> samples{};
  for (uint64_t& sample : samples) {
    std::memset(memory, 1, bytes);
    const uint64_t start_ns = thread_cpu_ns();
    mprotect(memory, bytes, PROT_NONE);
    sample = thread_cpu_ns() - start_ns;
    mprotect(memory, bytes, PROT_READ | PROT_WRITE);
  }
  std::ranges::sort(samples);
  return samples[samples.size() / 2];
}

uint64_t measured_unit() {
  constexpr uint64_t k_dear_ns = 20'000;
  void* const memory = mmap(nullptr, k_large, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return k_small;
  const ActingOwner acting;  // otherwise the wrapped calls would wait for closed memory
  const uint64_t small_ns = change_ns(memory, k_small), large_ns = change_ns(memory, k_large);
  munmap(memory, k_large);
  return small_ns > k_dear_ns && large_ns < small_ns ? k_large : k_small;
}

}  // namespace

uint64_t unit_bytes() {
  static const uint64_t bytes = measured_unit();
  return bytes;
}

}  // namespace tutti::overlap::guard
