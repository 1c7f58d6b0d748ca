#include "record/ring.hpp"

#include <sys/mman.h>

#include <bit>

namespace tutti::record {

base::Result<std::unique_ptr<Ring>> Ring::make(uint64_t bytes, bool keeps_newest) {
  const uint64_t capacity = std::bit_floor(bytes < sizeof(Slot) ? uint64_t{1} : bytes / sizeof(Slot));
  void* const memory = mmap(nullptr, capacity * sizeof(Slot), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return base::Status(base::Code::out_of_memory, "no memory for the records of calls");
  // Zeroed memory is an array of these.
  return std::unique_ptr<Ring>(new Ring(static_cast<Slot*>(memory), capacity, keeps_newest));
}

Ring::~Ring() {
  munmap(slots_, capacity_ * sizeof(Slot));
}

}  // namespace tutti::record
