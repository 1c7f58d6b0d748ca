#include "overlap/guard/userfault_protection.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <utility>

#include "overlap/guard/owners_memory.hpp"

namespace tutti::overlap::guard {

using base::Result;
using base::Status;

namespace {

class UserfaultProtection final : public PageProtection {
 public:
  UserfaultProtection(const Userfault& kernel, Pages pages, OwnersMemory memory)
      : kernel_(kernel), pages_(pages), memory_(std::move(memory)) {}

  std::byte* owners_view(std::byte* address) const override {
    return memory_.pages().begin + (address - pages_.begin);
  }

  Status protect(Pages pages) override {
    const Pages mine{owners_view(pages.begin), pages.bytes};
    // Pages can move only to a range that is watched. The owner's range is watched just for the move: afterwards holes
    // in it read as zeros, as do the program's untouched pages.
    if (Status watched = kernel_.watch(mine); !watched) return watched;
    Status closed = watch_and_move_out(mine, pages);
    // Pages shared with a forked child are not exclusive to this process before they are written again.
    if (closed.native() == EBUSY && madvise(pages.begin, pages.bytes, MADV_POPULATE_WRITE) == 0)
      closed = watch_and_move_out(mine, pages);
    static_cast<void>(kernel_.unwatch(mine));
    return closed;
  }

  void unprotect(Pages pages) override {
    uint64_t moved = 0;
    std::byte* const from = owners_view(pages.begin);
    // The owner's pages may be pinned by a device, and the program may have unmapped its pages.
    if (!kernel_.move(pages.begin, from, pages.bytes, &moved))
      static_cast<void>(kernel_.copy(pages.begin + moved, from + moved, pages.bytes - moved));
    static_cast<void>(kernel_.unwatch(pages));
  }

 private:
  /// Moves all pages or none.
  Status watch_and_move_out(Pages mine, Pages pages) const {
    if (Status watched = kernel_.watch(pages); !watched) return watched;
    uint64_t moved = 0, back = 0;
    Status out = kernel_.move(mine.begin, pages.begin, pages.bytes, &moved);
    if (out) return out;
    if (moved > 0) static_cast<void>(kernel_.move(pages.begin, mine.begin, moved, &back));
    static_cast<void>(kernel_.unwatch(pages));
    return out;
  }

  const Userfault& kernel_;
  Pages pages_;
  OwnersMemory memory_;
};

}  // namespace

/// Never closed: waiting threads and the listener outlive the exit handlers.
const Result<Userfault>& userfault(Reach reach) {
  static const auto& all = *new Result<Userfault>(Userfault::open(Reach::all));
  static const auto& threads = *new Result<Userfault>(Userfault::open(Reach::threads));
  return reach == Reach::all ? all : threads;
}

Result<std::unique_ptr<PageProtection>> make_userfault_protection(Reach reach, Pages pages) {
  const Result<Userfault>& kernel = userfault(reach);
  if (!kernel) return kernel.status();
  auto memory = OwnersMemory::acquire(pages);
  if (!memory) return memory.status();
  return std::unique_ptr<PageProtection>(new UserfaultProtection(*kernel, pages, std::move(*memory)));
}

}  // namespace tutti::overlap::guard
