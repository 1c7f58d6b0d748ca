#include "overlap/guard/mechanism.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "overlap/guard/closed_ranges.hpp"
#include "overlap/guard/mprotect_protection.hpp"
#include "overlap/guard/pkey_protection.hpp"
#include "overlap/guard/userfault_protection.hpp"

namespace tutti::overlap::guard {

using base::Result;
using base::Status;

namespace {

std::atomic<bool> kernel_threads_are_about{false};
std::atomic<bool (*)()> are_calls_asked_first{nullptr};  // nullptr: no wrappers

constexpr std::array<std::string_view, k_mechanisms.size()> k_names{"userfaultfd", "key", "userfaultfd:user",
                                                                    "mprotect"};

Result<std::unique_ptr<PageProtection>> protection_by(Mechanism mechanism, Pages pages) {
  switch (mechanism) {
    case Mechanism::swap:
      return make_userfault_protection(Reach::all, pages);
    case Mechanism::key:
      return make_pkey_protection(pages);
    case Mechanism::user_swap:
      return make_userfault_protection(Reach::threads, pages);
    case Mechanism::fill:
      return make_mprotect_protection(pages);
  }
  return Status::internal("no such guard");
}

/// Tests data transfer into `pages`, which are closed to the program's threads; the owner sees them at `owners`.
bool brings_data(PageProtection& protection, Pages pages, std::byte* owners) {
  if (owners != pages.begin) {
    const bool has_kept = owners[0] == std::byte{1};
    std::memset(owners, 2, pages.bytes);
    protection.unprotect(pages);
    return has_kept && pages.begin[0] == std::byte{2} && pages.begin[pages.bytes - 1] == std::byte{2};
  }
  protection.unprotect(pages);
  return pages.begin[0] == std::byte{1};
}

/// Valgrind executes instructions of its own, and hangs on missing pages.
bool is_under_valgrind() {
  const char* const preload = std::getenv("LD_PRELOAD");
  return preload != nullptr && std::strstr(preload, "vgpreload") != nullptr;
}

/// Closes a page and opens it with other contents, because a kernel may offer a feature that does not work.
Status try_out(Mechanism mechanism) {
  if (is_under_valgrind()) return Status::not_supported("valgrind watches the program's memory");
  const uint64_t bytes = 2 * page_bytes();
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return {base::Code::out_of_memory, "no memory to try a guard"};
  const Pages pages{static_cast<std::byte*>(memory), bytes};
  std::memset(memory, 1, bytes);
  Result<std::unique_ptr<PageProtection>> protection = protection_by(mechanism, pages);
  Status works = protection ? (*protection)->protect(pages) : protection.status();
  if (works && !brings_data(**protection, pages, (*protection)->owners_view(pages.begin)))
    works = Status::not_supported("what is brought into a page is lost");
  munmap(memory, bytes);
  return works;
}

}  // namespace

std::string_view to_string(Mechanism mechanism) {
  return k_names[static_cast<size_t>(mechanism)];
}

const Status& availability(Mechanism mechanism) {
  using Each = std::array<Status, k_mechanisms.size()>;
  static const auto& found = *new Each([] {
    Each each;
    for (const Mechanism one : k_mechanisms) each[static_cast<size_t>(one)] = try_out(one);
    return each;
  }());  // not destroyed by exit handlers
  return found[static_cast<size_t>(mechanism)];
}

void expect_kernel_threads() {
  kernel_threads_are_about.store(true, std::memory_order_relaxed);
}

void set_calls_check(bool (*are_asked_first)()) {
  are_calls_asked_first.store(are_asked_first, std::memory_order_relaxed);
}

void prepare_owner() {
  become_owner();
  open_key_for_this_thread();
}

Status works_now(Mechanism mechanism) {
  if (!availability(mechanism)) return availability(mechanism);
  if (!stops_kernel(mechanism) && kernel_threads_are_about.load(std::memory_order_relaxed))
    return Status::not_supported("the program uses io_uring");
  const auto are_asked_first = are_calls_asked_first.load(std::memory_order_relaxed);
  if (!knows_its_pages(mechanism) && are_asked_first != nullptr && !are_asked_first())
    return Status::not_supported(
        "another library has taken munmap() or free() over (UCX leaves them alone with "
        "UCX_MEM_MMAP_HOOK_MODE=none)");
  return {};
}

Result<std::unique_ptr<PageProtection>> make_protection(Mechanism mechanism, Pages pages) {
  if (Status works = works_now(mechanism); !works) return works;
  return protection_by(mechanism, pages);
}

}  // namespace tutti::overlap::guard
