#include "mpi/data/local_check.hpp"

#ifdef TUTTI_TEST_HOOKS

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace tutti::mpi {

namespace {

struct RefusalTest {
  uint64_t seed = 0, permille = 0;
  RefusalTest() {
    const char* const text = std::getenv("TUTTI_TEST_REFUSE");
    char* rest = nullptr;
    if (text != nullptr) seed = std::strtoull(text, &rest, 10);
    if (rest != nullptr && *rest == ':') permille = std::strtoull(rest + 1, nullptr, 10);
    seed += static_cast<uint64_t>(getpid()) * 0x9E3779B97F4A7C15u;  // different on every rank
  }
};

uint64_t mixed(uint64_t bits) {
  bits = (bits ^ (bits >> 31)) * 0xBF58476D1CE4E5B9u;
  bits = (bits ^ (bits >> 29)) * 0x94D049BB133111EBu;
  return bits ^ (bits >> 32);
}

std::atomic<bool> has_begun{false};

}  // namespace

void begin_refusals() {
  has_begun.store(true, std::memory_order_relaxed);
}

bool is_refused_by_test() {
  static const RefusalTest refusals;
  static std::atomic<uint64_t> count{0};
  if (refusals.permille == 0 || !has_begun.load(std::memory_order_relaxed)) return false;
  constexpr uint64_t k_all = 1000;
  return mixed(refusals.seed + count.fetch_add(1, std::memory_order_relaxed)) % k_all < refusals.permille;
}

}  // namespace tutti::mpi

#endif
