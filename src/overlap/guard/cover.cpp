#include "overlap/guard/cover.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "overlap/guard/swap_cover.hpp"

namespace tutti::overlap::guard {

using base::Result;
using base::Status;

namespace {

constexpr std::array<std::string_view, k_mechanisms.size()> k_names{"userfaultfd", "userfaultfd:user"};

Result<std::unique_ptr<Cover>> cover_by(Mechanism mechanism, Pages pages) {
  return make_swap_cover(mechanism == Mechanism::swap ? Reach::everybody : Reach::threads, pages);
}

/// Closes a page and opens it with something else in it. A kernel may offer what it then does not do.
Status try_out(Mechanism mechanism) {
  const uint64_t bytes = 2 * page_bytes();
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return {base::Code::out_of_memory, "no memory to try a guard"};
  const Pages pages{static_cast<std::byte*>(memory), bytes};
  std::memset(memory, 1, bytes);
  Result<std::unique_ptr<Cover>> cover = cover_by(mechanism, pages);
  Status works = cover ? (*cover)->close(pages) : cover.status();
  if (works) {
    std::byte* const owners = (*cover)->owners_view(pages.begin);
    if (owners[0] != std::byte{1}) works = Status::not_supported("what was in a page is lost");
    std::memset(owners, 2, bytes);
    (*cover)->open(pages);
    if (pages.begin[0] != std::byte{2} || pages.begin[bytes - 1] != std::byte{2})
      works = Status::not_supported("what was brought into a page is lost");
  }
  munmap(memory, bytes);
  return works;
}

}  // namespace

std::string_view to_string(Mechanism mechanism) {
  return k_names[static_cast<size_t>(mechanism)];
}

bool from_string(std::string_view name, Mechanism* mechanism) {
  const auto* const found = std::ranges::find(k_names, name);
  if (found == k_names.end()) return false;
  *mechanism = static_cast<Mechanism>(found - k_names.begin());
  return true;
}

const Status& availability(Mechanism mechanism) {
  static const std::array<Status, k_mechanisms.size()> found = [] {
    std::array<Status, k_mechanisms.size()> each;
    for (const Mechanism one : k_mechanisms) each[static_cast<size_t>(one)] = try_out(one);
    return each;
  }();
  return found[static_cast<size_t>(mechanism)];
}

Result<std::unique_ptr<Cover>> make_cover(Mechanism mechanism, Pages pages) {
  const Status& available = availability(mechanism);
  if (!available) return available;
  return cover_by(mechanism, pages);
}

}  // namespace tutti::overlap::guard
