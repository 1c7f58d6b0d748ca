#include "overlap/guard/pkey_protection.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "overlap/guard/faults.hpp"

namespace tutti::overlap::guard {

using base::Result;
using base::Status;

namespace {

/// One key for all guards: a process has only fifteen, and threads have rights by key. Existing threads get no access
/// to its pages, and new threads inherit the rights of their creator.
int key() {
  static const int one = pkey_alloc(0, PKEY_DISABLE_ACCESS);
  return one;
}

class PkeyProtection final : public PageProtection {
 public:
  std::byte* owners_view(std::byte* address) const override { return address; }

  Status protect(Pages pages) override { return set(pages, key()); }

  void unprotect(Pages pages) override { static_cast<void>(set(pages, 0)); }

 private:
  static Status set(Pages pages, int number) {
    if (pkey_mprotect(pages.begin, pages.bytes, PROT_READ | PROT_WRITE, number) == 0) return {};
    return Status::system("these pages take no protection key", errno);
  }
};

}  // namespace

void open_key_for_this_thread() {
  if (key() >= 0) pkey_set(key(), 0);
}

Result<std::unique_ptr<PageProtection>> make_pkey_protection(Pages) {
  if (key() < 0)
    return Status::not_supported("there are no protection keys here (they take processor and kernel)");
  catch_faults();
  return std::unique_ptr<PageProtection>(new PkeyProtection);
}

}  // namespace tutti::overlap::guard
