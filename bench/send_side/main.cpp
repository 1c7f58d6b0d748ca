// Measures the cost of letting a program write the data that a call still sends after its early return (paper 002,
// section 5.1.2): a copy into warm memory, or write protection in pieces, of which the written ones are copied first.
//
//   tutti-send-side [MiB]     processor time in µs per MiB; medians
//
// "close": before the call returns; "written": faults and copies, without the program's own writes; "open": for the
// unwritten pieces, after their messages have been sent.

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace {

constexpr int k_rounds = 15;

double now_us() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
}

struct Memory {
  explicit Memory(size_t size) : bytes(size) {
    void* const fresh = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED) std::abort();
    data = static_cast<char*>(fresh);
    std::memset(data, 1, bytes);
  }
  size_t bytes;
  char* data;
};

/// The mechanism that catches writes.
class Protection {
 public:
  virtual ~Protection() = default;
  virtual std::string_view name() const = 0;
  virtual bool close(char* data, size_t bytes) = 0;
  virtual void open(char* data, size_t bytes) = 0;
  virtual void leave(char* /*data*/, size_t /*bytes*/) {}
};

class ByMprotect final : public Protection {
  std::string_view name() const override { return "mprotect"; }
  bool close(char* data, size_t bytes) override { return mprotect(data, bytes, PROT_READ) == 0; }
  void open(char* data, size_t bytes) override { mprotect(data, bytes, PROT_READ | PROT_WRITE); }
};

/// A write raises SIGBUS, so that no thread has to read the descriptor.
class ByUserfaultfd final : public Protection {
 public:
  ByUserfaultfd() : fd_(static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC))) {
    uffdio_api api{};
    api.api = UFFD_API;
    api.features = UFFD_FEATURE_SIGBUS | UFFD_FEATURE_PAGEFAULT_FLAG_WP;
    ioctl(fd_, UFFDIO_API, &api);
  }

 private:
  std::string_view name() const override { return "userfaultfd"; }
  bool close(char* data, size_t bytes) override {
    uffdio_register request{};
    request.range = range(data, bytes);
    request.mode = UFFDIO_REGISTER_MODE_WP;
    return ioctl(fd_, UFFDIO_REGISTER, &request) == 0 && protect(data, bytes, UFFDIO_WRITEPROTECT_MODE_WP);
  }
  void open(char* data, size_t bytes) override { protect(data, bytes, 0); }
  void leave(char* data, size_t bytes) override {
    uffdio_range all = range(data, bytes);
    ioctl(fd_, UFFDIO_UNREGISTER, &all);
  }
  static uffdio_range range(char* data, size_t bytes) {
    return {.start = reinterpret_cast<uintptr_t>(data), .len = bytes};
  }
  bool protect(char* data, size_t bytes, uint64_t mode) const {
    uffdio_writeprotect request{.range = range(data, bytes), .mode = mode};
    return ioctl(fd_, UFFDIO_WRITEPROTECT, &request) == 0;
  }

  int fd_;
};

/// Data for the handler.
struct Pieces {
  Memory* buffer = nullptr;
  Memory* aside = nullptr;
  Protection* protection = nullptr;
  size_t bytes = 0;
  std::vector<char> is_closed;
};
Pieces pieces;

void copy_aside(int, siginfo_t* info, void*) {
  const auto place = static_cast<size_t>(static_cast<char*>(info->si_addr) - pieces.buffer->data);
  if (place >= pieces.buffer->bytes) std::abort();
  const size_t piece = place / pieces.bytes, at = piece * pieces.bytes;
  std::memcpy(pieces.aside->data + at, pieces.buffer->data + at, pieces.bytes);
  pieces.is_closed[piece] = 0;
  pieces.protection->open(pieces.buffer->data + at, pieces.bytes);
}

double write_pieces(size_t count) {
  const double start = now_us();
  for (size_t piece = 0; piece < count; ++piece)
    std::memset(pieces.buffer->data + piece * pieces.bytes, 7, pieces.bytes);
  return now_us() - start;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void measure_protection(unsigned percent) {
  Memory& buffer = *pieces.buffer;
  const size_t count = buffer.bytes / pieces.bytes, written = count * percent / 100;
  const auto mib = static_cast<double>(buffer.bytes >> 20);
  std::vector<double> close, write, open;
  for (int round = 0; round < k_rounds; ++round) {
    std::memset(buffer.data, round, buffer.bytes);
    pieces.is_closed.assign(count, 1);
    const double start = now_us();
    if (!pieces.protection->close(buffer.data, buffer.bytes)) return;
    close.push_back(now_us() - start);
    const double with_faults = write_pieces(written);
    const double opening = now_us();
    for (size_t piece = 0; piece < count; ++piece)
      if (pieces.is_closed[piece] != 0)
        pieces.protection->open(buffer.data + piece * pieces.bytes, pieces.bytes);
    pieces.protection->leave(buffer.data, buffer.bytes);
    open.push_back(now_us() - opening);
    write.push_back(with_faults - write_pieces(written));
  }
  const std::array parts{median(close) / mib, median(write) / mib, median(open) / mib};
  fmt::print(
      "{:<12} pieces of {:>3} KiB, {:>3} % written: close {:7.1f}  written {:7.1f}  open {:7.1f}  all "
      "{:7.1f}\n",
      pieces.protection->name(), pieces.bytes >> 10, percent, parts[0], parts[1], parts[2],
      parts[0] + parts[1] + parts[2]);
}

void measure_copy() {
  std::vector<double> copy;
  for (int round = 0; round < k_rounds; ++round) {
    std::memset(pieces.buffer->data, round, pieces.buffer->bytes);
    const double start = now_us();
    std::memcpy(pieces.aside->data, pieces.buffer->data, pieces.buffer->bytes);
    copy.push_back(now_us() - start);
  }
  fmt::print("copy: {:.1f}\n", median(copy) / static_cast<double>(pieces.buffer->bytes >> 20));
}

}  // namespace

int main(int argc, char** argv) {
  const size_t mib = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 8;
  if (mib == 0) return 2;
  Memory buffer(mib << 20), aside(mib << 20);
  pieces.buffer = &buffer;
  pieces.aside = &aside;
  struct sigaction action {};
  action.sa_sigaction = copy_aside;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
  measure_copy();
  ByMprotect by_mprotect;
  ByUserfaultfd by_userfaultfd;
  for (Protection* const protection : std::array<Protection*, 2>{&by_mprotect, &by_userfaultfd}) {
    pieces.protection = protection;
    for (const size_t bytes : {size_t{64} << 10, size_t{256} << 10}) {
      pieces.bytes = bytes;
      for (const unsigned percent : {0u, 5u, 25u, 100u}) measure_protection(percent);
    }
  }
}
