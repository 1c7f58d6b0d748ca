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
/// The kernel's own accesses wait, too. Elsewhere they fail: calls that hand closed memory to it have to wait before
/// (calls/), and what it uses by itself, like a stack, must not be closed.
inline bool stops_kernel(Mechanism mechanism) {
  return mechanism == Mechanism::swap;
}

/// "userfaultfd", …
std::string_view to_string(Mechanism mechanism);
bool from_string(std::string_view name, Mechanism* mechanism);

/// Why it does not work in this process; ok where it does. Found out by trying it, once. Any thread.
const base::Status& availability(Mechanism mechanism);

/// The program lets the kernel's own threads use its memory, which no right of a thread's and no signal stops: from now
/// on only mechanisms make covers that stop everybody.
void expect_kernel_threads();

/// For a thread that will bring data, before anything is closed: it may use closed pages, and waits for nobody.
void prepare_owner();

/// `pages`: all that may be closed, and the partly used pages at both ends. Errors: not_supported, out_of_memory.
base::Result<std::unique_ptr<Cover>> make_cover(Mechanism mechanism, Pages pages);

}  // namespace tutti::overlap::guard
