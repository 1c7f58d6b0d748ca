#pragma once
// The mechanisms by which pages are kept from the program's threads (DESIGN §6a), and which of them work here.

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/status.hpp"
#include "overlap/guard/cover.hpp"
#include "overlap/guard/pages.hpp"

namespace tutti::overlap::guard {

enum class Mechanism : uint8_t {
  swap,       // userfaultfd: the pages are elsewhere until their data is there
  key,        // protection key: the pages stay where they are, and the program has no right to them
  user_swap,  // as swap, without rights: system calls fail on pages that are not there
  fill,       // mprotect: the kernel fills the closed pages from a copy
};
inline constexpr std::array k_mechanisms{Mechanism::swap, Mechanism::key, Mechanism::user_swap,
                                         Mechanism::fill};  // preferred first

/// The owner receives into the program's own pages: nobody else may bring the data there on its behalf.
inline bool is_in_place(Mechanism mechanism) {
  return mechanism == Mechanism::key;
}
/// The owner opens a page only while it is the one that was closed: memory that has been given away meanwhile is safe.
inline bool knows_its_pages(Mechanism mechanism) {
  return mechanism == Mechanism::swap || mechanism == Mechanism::user_swap;
}

/// The kernel's own accesses wait, too. Elsewhere they fail: calls that hand closed memory to it have to wait before
/// (calls/), and what it uses by itself, like a stack, must not be closed.
inline bool stops_kernel(Mechanism mechanism) {
  return mechanism == Mechanism::swap;
}

/// "userfaultfd", …
std::string_view to_string(Mechanism mechanism);

/// Why it does not work in this process; ok where it does. Found out by trying it, once. Any thread.
const base::Status& availability(Mechanism mechanism);

/// Why it cannot be used as things are now; ok where it can.
base::Status works_now(Mechanism mechanism);

/// The program lets the kernel's own threads use its memory, which no right of a thread's and no signal stops: from now
/// on only mechanisms make covers that stop everybody.
void expect_kernel_threads();

/// Sets the check whether Tutti's functions in front of the C library's are still called first: other libraries may
/// have put themselves in front of them. If they are bypassed, a page can be unmapped while its data is still in
/// flight, so mechanisms whose owner writes to addresses, whatever is mapped there, make no covers. Called before the
/// first guard.
void set_calls_check(bool (*are_asked_first)());

/// For a thread that will bring data, before anything is closed: it may use closed pages, and waits for nobody.
void prepare_owner();

/// `pages`: all that may be closed, and the partly used pages at both ends. Errors: not_supported, out_of_memory.
base::Result<std::unique_ptr<Cover>> make_cover(Mechanism mechanism, Pages pages);

}  // namespace tutti::overlap::guard
