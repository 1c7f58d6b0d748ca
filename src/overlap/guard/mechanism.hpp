#pragma once
// The mechanisms that protect pages from the program's threads (DESIGN §6a), and their availability.

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/status.hpp"
#include "overlap/guard/page_protection.hpp"
#include "overlap/guard/pages.hpp"

namespace tutti::overlap::guard {

enum class Mechanism : uint8_t {
  swap,       // userfaultfd: the pages are moved away until their data is there
  key,        // protection key: the pages stay, and the program has no access rights
  user_swap,  // as swap, without privileges: system calls fail on missing pages
  fill,       // mprotect: the kernel fills the closed pages from a copy
};
inline constexpr std::array k_mechanisms{Mechanism::swap, Mechanism::key, Mechanism::user_swap,
                                         Mechanism::fill};  // preferred first

/// Whether the owner receives into the program's own pages, so that only the owner can write the data.
inline bool is_in_place(Mechanism mechanism) {
  return mechanism == Mechanism::key;
}
/// Whether the owner opens a page only if it is still the one that was closed, so that memory unmapped meanwhile is
/// safe.
inline bool knows_its_pages(Mechanism mechanism) {
  return mechanism == Mechanism::swap || mechanism == Mechanism::user_swap;
}

/// Whether the kernel's own accesses wait too. With other mechanisms they fail: calls that pass closed memory to the
/// kernel must wait first (calls/), and memory that the kernel uses by itself, like a stack, must not be closed.
inline bool stops_kernel(Mechanism mechanism) {
  return mechanism == Mechanism::swap;
}

/// "userfaultfd", …
std::string_view to_string(Mechanism mechanism);

/// Why the mechanism does not work in this process, or ok. Tested once, by a trial. Any thread.
const base::Status& availability(Mechanism mechanism);

/// Why the mechanism cannot be used at the moment, or ok.
base::Status works_now(Mechanism mechanism);

/// The program lets kernel threads (io_uring) access its memory, which neither access rights nor signals can stop. From
/// now on only mechanisms with stops_kernel() are used.
void expect_kernel_threads();

/// Sets the check whether Tutti's wrappers of the C library's functions are still called first; other libraries may
/// interpose before them. If they are bypassed, a page can be unmapped while its data is still in flight, so mechanisms
/// whose owner writes to addresses regardless of the mapping are not used. Called before the first guard.
void set_calls_check(bool (*are_asked_first)());

/// Prepares a thread that will bring data: it may use closed pages and never waits for them. Call before anything is
/// closed.
void prepare_owner();

/// `pages`: all pages that may be closed, and the partial pages at both ends. Errors: not_supported, out_of_memory.
base::Result<std::unique_ptr<PageProtection>> make_protection(Mechanism mechanism, Pages pages);

}  // namespace tutti::overlap::guard
