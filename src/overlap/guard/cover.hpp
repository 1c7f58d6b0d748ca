#pragma once
// How pages are kept from the program's threads (DESIGN §6a): one mechanism behind one interface.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/status.hpp"
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

/// Over one buffer. The owner is whoever brings the data: it may use the pages all the time.
class Cover {
 public:
  virtual ~Cover() = default;

  /// Where the owner finds what lies at `address` of the buffer's pages, closed or not.
  virtual std::byte* owners_view(std::byte* address) const = 0;
  /// Closes pages that are open: from now on a thread that touches them waits. Their contents stay. Error: they are
  /// as open as they were.
  virtual base::Status close(Pages pages) = 0;
  /// Opens pages that have been closed, with what the owner has brought: a thread sees all of a page or waits. Pages
  /// that the program has unmapped meanwhile are left alone.
  virtual void open(Pages pages) = 0;
};

/// `pages`: all that may be closed, and the partly used pages at both ends. Errors: not_supported, out_of_memory.
base::Result<std::unique_ptr<Cover>> make_cover(Mechanism mechanism, Pages pages);

}  // namespace tutti::overlap::guard
