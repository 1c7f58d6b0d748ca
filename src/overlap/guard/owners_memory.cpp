#include "overlap/guard/owners_memory.hpp"

#include <sys/mman.h>

#include <utility>

namespace tutti::overlap::guard {

using base::Result;
using base::Status;

namespace {

constexpr uint64_t k_huge_page = uint64_t{2} << 20;

}  // namespace

Result<OwnersMemory> OwnersMemory::acquire(Pages for_these) {
  const uint64_t bytes = for_these.bytes + 2 * k_huge_page;
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return Status{base::Code::out_of_memory, "no address range for a guard"};
  const Pages mapping{static_cast<std::byte*>(memory), bytes};
  const uint64_t wanted = number_of(for_these.begin) % k_huge_page;
  const uint64_t has = number_of(mapping.begin) % k_huge_page;
  const uint64_t skip = (wanted + k_huge_page - has) % k_huge_page;
  return OwnersMemory(mapping, {mapping.begin + skip, for_these.bytes});
}

OwnersMemory::OwnersMemory(OwnersMemory&& other) noexcept
    : mapping_(std::exchange(other.mapping_, {})), pages_(std::exchange(other.pages_, {})) {}

OwnersMemory::~OwnersMemory() {
  if (!mapping_.is_empty()) munmap(mapping_.begin, mapping_.bytes);
}

}  // namespace tutti::overlap::guard
