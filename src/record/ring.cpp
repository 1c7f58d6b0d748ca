#include "record/ring.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "record/rank_file.hpp"

namespace tutti::record {

namespace {

constexpr int k_private = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
constexpr uint64_t k_all = UINT64_MAX;
/// Records for which the file system reserves space at once: 1 MiB.
constexpr uint64_t k_part = (uint64_t{1} << 20) / sizeof(PackedRecord);

}  // namespace

base::Result<std::unique_ptr<Ring>> Ring::make(uint64_t bytes, bool keeps_newest, LiveFile* file) {
  const uint64_t capacity = std::bit_floor(bytes < sizeof(Slot) ? uint64_t{1} : bytes / sizeof(Slot));
  const size_t all = k_head_bytes + capacity * sizeof(Slot);
  void* memory = file == nullptr ? nullptr : file->map(all);
  if (memory != nullptr && !file->set_aside(0, k_head_bytes + std::min(k_part, capacity) * sizeof(Slot))) {
    munmap(memory, all);
    memory = nullptr;
  }
  if (memory == nullptr) {
    file = nullptr;
    memory = mmap(nullptr, all, PROT_READ | PROT_WRITE, k_private, -1, 0);
  }
  if (memory == MAP_FAILED)
    return base::Status(base::Code::out_of_memory, "no memory for the records of calls");
  return std::unique_ptr<Ring>(new Ring(memory, capacity, keeps_newest, file));
}

/// Zero-initialised memory is a valid array of slots.
Ring::Ring(void* memory, uint64_t capacity, bool keeps_newest, LiveFile* file)
    : head_(new (memory) Head{.magic = {},
                              .version = k_version,
                              .keeps_newest = keeps_newest ? 1U : 0U,
                              .capacity = capacity,
                              .next = 0,
                              .cells = {}}),
      slots_(reinterpret_cast<Slot*>(static_cast<char*>(memory) + k_head_bytes)),
      capacity_(capacity),
      keeps_newest_(keeps_newest),
      file_(file),
      ready_(file == nullptr || capacity <= k_part ? k_all : k_part) {
  std::memcpy(head_->magic, k_live_magic.data(), sizeof head_->magic);
}

Ring::~Ring() {
  munmap(head_, bytes());
}

size_t Ring::open(const PackedRecord& record) {
  uint32_t used = used_cells_.load(std::memory_order_relaxed);
  for (;;) {
    const auto cell = static_cast<size_t>(std::countr_one(used));
    if (cell == k_cells) return k_cells;
    if (!used_cells_.compare_exchange_weak(used, used | 1U << cell, std::memory_order_acquire)) continue;
    put(head_->cells[cell], record);
    return cell;
  }
}

void Ring::close(size_t cell) {
  if (cell == k_cells) return;
  head_->cells[cell].words[1].store(k_void_row, std::memory_order_relaxed);
  used_cells_.fetch_and(~(1U << cell), std::memory_order_release);
}

std::vector<PackedRecord> Ring::open_calls(const Head& head) {
  std::vector<PackedRecord> open;
  for (const Slot& cell : head.cells)
    if (const PackedRecord record = get(cell); record.words[0] != 0 && record.unpack().row != k_void_row)
      open.push_back(record);
  return open;
}

void Ring::make_ready(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  for (uint64_t from = ready_.load(std::memory_order_relaxed); from <= ticket && from != k_all;) {
    const uint64_t at = k_head_bytes + from * sizeof(Slot);
    if (file_->set_aside(at, k_part * sizeof(Slot))) {
      from = from + k_part < capacity_ ? from + k_part : k_all;
    } else {
      // The rest of the ring becomes private memory of the process.
      mmap(slots_ + from, bytes() - at, PROT_READ | PROT_WRITE, k_private | MAP_FIXED, -1, 0);
      from = k_all;
    }
    ready_.store(from, std::memory_order_release);
  }
}

}  // namespace tutti::record
