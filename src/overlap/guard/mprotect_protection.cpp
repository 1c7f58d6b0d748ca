#include "overlap/guard/mprotect_protection.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "overlap/guard/faults.hpp"
#include "overlap/guard/owners_memory.hpp"

namespace tutti::overlap::guard {

using base::Result;
using base::Status;

namespace {

/// Descriptor of /proc/self/mem, which can write to pages without access rights. Closed by exec; unusable in a forked
/// child.
int own_memory() {
  static const int fd = ::open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  return fd;
}

class MprotectProtection final : public PageProtection {
 public:
  MprotectProtection(Pages pages, OwnersMemory memory) : pages_(pages), memory_(std::move(memory)) {}

  std::byte* owners_view(std::byte* address) const override {
    return memory_.pages().begin + (address - pages_.begin);
  }

  /// Only private memory can be filled while it is closed. This is tested by filling it with its own contents.
  Status protect(Pages pages) override {
    std::memcpy(owners_view(pages.begin), pages.begin, pages.bytes);
    const bool is_closed = mprotect(pages.begin, pages.bytes, PROT_NONE) == 0;
    if (is_closed && fill(pages)) return {};
    const int error = errno;
    mprotect(pages.begin, pages.bytes, PROT_READ | PROT_WRITE);
    return Status::system("these pages cannot be closed and filled", error);
  }

  void unprotect(Pages pages) override {
    static_cast<void>(fill(pages));  // fails if the program has unmapped these pages
    mprotect(pages.begin, pages.bytes, PROT_READ | PROT_WRITE);
  }

 private:
  bool fill(Pages pages) const {
    const std::byte* const from = owners_view(pages.begin);
    for (uint64_t done = 0; done < pages.bytes;) {
      const auto place = static_cast<off_t>(number_of(pages.begin + done));
      const ssize_t count = pwrite(own_memory(), from + done, pages.bytes - done, place);
      if (count <= 0 && errno != EINTR) return false;
      if (count > 0) done += static_cast<uint64_t>(count);
    }
    return true;
  }

  Pages pages_;
  OwnersMemory memory_;
};

}  // namespace

Result<std::unique_ptr<PageProtection>> make_mprotect_protection(Pages pages) {
  if (own_memory() < 0) return Status::not_supported("/proc/self/mem is not to be had");
  auto memory = OwnersMemory::acquire(pages);
  if (!memory) return memory.status();
  catch_faults();
  return std::unique_ptr<PageProtection>(new MprotectProtection(pages, std::move(*memory)));
}

}  // namespace tutti::overlap::guard
