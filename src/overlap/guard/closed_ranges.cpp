#include "overlap/guard/closed_ranges.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <new>

#include "base/futex.hpp"
#include "overlap/guard/touches.hpp"

namespace tutti::overlap::guard {

namespace {

constexpr size_t k_most_ranges = 256;

/// Read without a lock. Its memory is never freed, because a reader may be interrupted in it for any time.
struct Slot {
  std::atomic<uint64_t> begin{0}, end{0};                 // addresses; 0, 0: free
  std::atomic<uint32_t> turn{0};                          // futex; changes on each opening
  std::atomic<std::atomic<uint8_t>*> is_closed{nullptr};  // by page
  std::atomic<size_t> capacity{0};                        // of is_closed, in pages
  bool is_taken = false;                                  // protected by slots_mutex
};

std::array<Slot, k_most_ranges> slots;
std::atomic<size_t> used_slots{0};  // slots from here on are free
std::atomic<uint32_t> openings{0};
std::mutex slots_mutex;
[[gnu::tls_model("initial-exec")]] constinit thread_local bool is_this_owner = false;
[[gnu::tls_model("initial-exec")]] constinit thread_local bool is_this_caller = false;

/// The old array is not freed, because a handler may read it. Sizes double, so all arrays take less than two of the
/// last.
bool make_room(Slot& slot, size_t pages) {
  const size_t had = slot.capacity.load(std::memory_order_relaxed);
  if (pages <= had) return true;
  const size_t capacity = std::max(pages, std::max<size_t>(2 * had, page_bytes()));
  static_assert(sizeof(std::atomic<uint8_t>) == 1 && std::atomic<uint8_t>::is_always_lock_free);
  void* const fresh = mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fresh == MAP_FAILED) return false;
  slot.is_closed.store(static_cast<std::atomic<uint8_t>*>(fresh), std::memory_order_release);
  slot.capacity.store(capacity, std::memory_order_release);
  return true;
}

/// First closed address in [begin, end); 0: none. The result may be wrong while the slot is reassigned; then its `turn`
/// also changes.
uint64_t first_closed(const Slot& slot, uint64_t begin, uint64_t end) {
  const uint64_t slot_begin = slot.begin.load(std::memory_order_acquire);
  const uint64_t slot_end = slot.end.load(std::memory_order_acquire);
  begin = std::max(begin, slot_begin);
  end = std::min(end, slot_end);
  if (begin >= end) return 0;
  const size_t capacity = slot.capacity.load(std::memory_order_acquire);
  const std::atomic<uint8_t>* const is_closed = slot.is_closed.load(std::memory_order_acquire);
  const uint64_t last = std::min((end - 1 - slot_begin) / page_bytes(), capacity - 1);
  for (uint64_t page = (begin - slot_begin) / page_bytes(); page <= last; ++page)
    if (is_closed[page].load(std::memory_order_acquire) != 0)
      return std::max(begin, slot_begin + page * page_bytes());
  return 0;
}

}  // namespace

std::unique_ptr<ClosedRange> ClosedRange::enter(Pages pages) {
  const std::lock_guard lock(slots_mutex);
  const auto found = std::ranges::find_if(slots, [](const Slot& slot) { return !slot.is_taken; });
  if (found == slots.end() || !make_room(*found, pages.bytes / page_bytes())) return nullptr;
  const auto index = static_cast<size_t>(found - slots.begin());
  std::unique_ptr<ClosedRange> range(new (std::nothrow) ClosedRange(index));
  if (range == nullptr) return nullptr;
  found->is_taken = true;
  found->turn.fetch_add(1, std::memory_order_seq_cst);
  found->begin.store(number_of(pages.begin), std::memory_order_relaxed);
  found->end.store(number_of(pages.end()), std::memory_order_release);
  if (used_slots.load(std::memory_order_relaxed) <= index)
    used_slots.store(index + 1, std::memory_order_release);
  count_.fetch_add(1, std::memory_order_seq_cst);
  return range;
}

ClosedRange::~ClosedRange() {
  Slot& slot = slots[slot_];
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a number, which threads read at once
  open({reinterpret_cast<std::byte*>(slot.begin.load()), slot.end.load() - slot.begin.load()});
  const std::lock_guard lock(slots_mutex);
  slot.end.store(0, std::memory_order_relaxed);
  slot.begin.store(0, std::memory_order_release);
  slot.is_taken = false;
  count_.fetch_sub(1, std::memory_order_release);
}

// NOLINTNEXTLINE(readability-make-member-function-const): what it writes is in the slot
void ClosedRange::set(Pages pages, uint8_t state) {
  Slot& slot = slots[slot_];
  std::atomic<uint8_t>* const is_closed = slot.is_closed.load(std::memory_order_relaxed);
  const uint64_t first = (number_of(pages.begin) - slot.begin.load(std::memory_order_relaxed)) / page_bytes();
  for (uint64_t page = 0; page < pages.bytes / page_bytes(); ++page)
    is_closed[first + page].store(state, std::memory_order_release);
}

void ClosedRange::close(Pages pages) {
  set(pages, 1);
}

void ClosedRange::open(Pages pages) {
  set(pages, 0);
  openings.fetch_add(1, std::memory_order_release);
  slots[slot_].turn.fetch_add(1, std::memory_order_seq_cst);
  base::futex_wake(&slots[slot_].turn);
}

bool await_open(const void* memory, uint64_t bytes) {
  if (is_this_owner) return false;
  const uint64_t begin = number_of(memory);
  const uint64_t end = bytes > UINT64_MAX - begin ? UINT64_MAX : begin + bytes;
  bool has_waited = false;
  for (size_t i = 0; i < used_slots.load(std::memory_order_acquire); ++i) {
    const Slot& slot = slots[i];
    for (;;) {
      const uint32_t turn = slot.turn.load(std::memory_order_seq_cst);
      const uint64_t closed = first_closed(slot, begin, end);
      if (closed == 0) break;
      has_waited = true;
      tell_touch(closed);
      base::futex_wait(slot.turn, turn);
    }
  }
  return has_waited;
}

void await_buffer_around(const void* address) {
  const uint64_t number = number_of(address);
  for (size_t i = 0; i < used_slots.load(std::memory_order_acquire); ++i) {
    const uint64_t begin = slots[i].begin.load(std::memory_order_acquire);
    const uint64_t end = slots[i].end.load(std::memory_order_acquire);
    if (begin <= number && number < end) static_cast<void>(await_open(address, end - number));
  }
}

void await_all_open() {
  static_cast<void>(await_open(nullptr, UINT64_MAX));
}

uint32_t open_count() {
  return openings.load(std::memory_order_acquire);
}

void become_owner() {
  is_this_owner = true;
}

void become_caller() {
  is_this_caller = true;
}

bool is_caller() {
  return is_this_caller;
}

ActingOwner::ActingOwner() : was_owner_(is_this_owner) {
  is_this_owner = true;
}

ActingOwner::~ActingOwner() {
  is_this_owner = was_owner_;
}

}  // namespace tutti::overlap::guard
