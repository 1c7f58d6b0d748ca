#include "node/arena_control.hpp"

#include <algorithm>
#include <cerrno>
#include <new>

namespace tutti::node {
namespace {

constexpr uint64_t round_up(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// Most regions are far larger than a page, so one entry per two pages suffices; the upper bound limits the
/// table.
uint32_t entry_count(uint64_t bytes) {
  return static_cast<uint32_t>(std::clamp<uint64_t>(bytes / (2 * k_page_bytes), 64, 16384));
}

base::Status make_mutex(pthread_mutex_t* mutex) {
  pthread_mutexattr_t attributes;
  int error = pthread_mutexattr_init(&attributes);
  if (error == 0) error = pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  if (error == 0) error = pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  if (error == 0) error = pthread_mutex_init(mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
  return error == 0 ? base::Status{}
                    : base::Status::system("shared memory: cannot make a lock for processes", error);
}

}  // namespace

ArenaLock::ArenaLock(ArenaControl& control) : control_(control) {
  const int error = pthread_mutex_lock(&control.mutex);
  if (error == EOWNERDEAD) {
    control.broken = true;
    pthread_mutex_consistent(&control.mutex);
  }
  if (control.broken) {
    status_ = base::Status::internal(
        "shared memory: a process of this node died while it changed the table of regions; no new ones are "
        "given out");
  }
}

ArenaLock::~ArenaLock() {
  pthread_mutex_unlock(&control_.mutex);
}

base::Status initialise(std::byte* base, uint64_t bytes, uint32_t process_count) {
  auto* control = new (base) ArenaControl{};
  const uint32_t entries = entry_count(bytes);
  control->bytes = bytes;
  control->process_count = process_count;
  control->processes = round_up(sizeof(ArenaControl), 64);
  control->entries = control->processes + process_count * sizeof(ProcessRecord);
  control->page_map = control->entries + entries * sizeof(RegionEntry);
  control->pages = round_up(control->page_map + bytes / k_page_bytes, k_page_bytes);
  if (control->pages >= bytes) {
    return {base::Code::invalid_argument,
            "shared memory: the arena is too small for the processes of this node"};
  }
  control->page_count = static_cast<uint32_t>((bytes - control->pages) / k_page_bytes);
  control->free_page_count = control->page_count;

  std::fill(std::begin(control->buckets), std::end(control->buckets), k_no_entry);
  auto* entry = reinterpret_cast<RegionEntry*>(base + control->entries);
  for (uint32_t i = 0; i < entries; ++i) entry[i].next = i + 1 < entries ? i + 1 : k_no_entry;
  if (base::Status made = make_mutex(&control->mutex); !made) return made;
  control->magic.store(ArenaControl::k_magic, std::memory_order_release);
  return {};
}

}  // namespace tutti::node
