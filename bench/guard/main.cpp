// Measures the cost of guarding a buffer and of copying sent data (paper 002, section 6.1 and Fig. 5). No MPI: the
// owner fills the buffer at once.
//
//   tutti-guard-costs     a line for each number: bytes, of what, which part; median, least and most, in µs
//
// Parts: `close` and `open` are the costs of a call and of the progress thread; `wake` is the time from the opening
// of the last page until a waiting thread continues. Pages open in units, like messages of this size arrive.

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "overlap/guard/guard.hpp"
#include "overlap/guard/unit.hpp"
#include "overlap/send_copy.hpp"

namespace {

using namespace tutti;  // NOLINT: a program of its own
using overlap::SendCopy;
using overlap::guard::Guard;
using overlap::guard::Mechanism;
using overlap::guard::Part;

constexpr uint64_t k_least_bytes = 4 << 10;
constexpr uint64_t k_most_bytes = 16 << 20;
/// Large buffers take long, and differ less.
constexpr int rounds_of(uint64_t bytes) {
  return bytes <= 1 << 20 ? 41 : 11;
}
constexpr useconds_t k_until_it_waits_us = 200;

using Samples = std::vector<uint64_t>;  // ns

void print(uint64_t bytes, std::string_view of, std::string_view part, Samples ns) {
  std::ranges::sort(ns);
  const auto us = [](uint64_t value) { return static_cast<double>(value) / 1e3; };
  fmt::print("{} {} {} {:.2f} {:.2f} {:.2f}\n", bytes, of, part, us(ns[ns.size() / 2]), us(ns.front()),
             us(ns.back()));
}

struct Freed {
  void operator()(std::byte* memory) const { free(memory); }
};
using Buffer = std::unique_ptr<std::byte, Freed>;

Buffer make_buffer(uint64_t bytes) {
  Buffer buffer(static_cast<std::byte*>(aligned_alloc(overlap::guard::page_bytes(), bytes)));
  std::memset(buffer.get(), 1, bytes);
  return buffer;
}

std::vector<Part> in_units(uint64_t bytes) {
  std::vector<Part> parts;
  for (uint64_t offset = 0; offset < bytes; offset += overlap::guard::unit_bytes())
    parts.push_back({offset, std::min(overlap::guard::unit_bytes(), bytes - offset)});
  return parts;
}

/// Brings the data while the caller waits for it.
class Owner {
 public:
  Owner() : thread_([this] { run(); }) {}
  ~Owner() {
    bring(nullptr, 0, {});
    thread_.join();
  }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;

  void bring(std::unique_ptr<Guard> guard, uint64_t bytes, const std::vector<Part>& parts) {
    guard_ = std::move(guard);
    bytes_ = bytes;
    parts_ = parts;
    calls_.fetch_add(1);
    calls_.notify_all();
  }
  void await_end() const { ends_.wait(calls_ - 1); }
  /// Valid after that: the time including the return of the guard, and the time when the last page was open.
  uint64_t opening_ns() const { return ended_ns_ - began_ns_; }
  uint64_t opened_ns() const { return opened_ns_; }

 private:
  void run() {
    overlap::guard::prepare_owner();
    for (int call = 0;; ++call) {
      calls_.wait(call);
      if (guard_ == nullptr) return;
      usleep(k_until_it_waits_us);
      std::memset(guard_->owners_buffer(), call, bytes_);
      began_ns_ = base::monotonic_ns();
      for (const Part part : parts_) guard_->end(part);
      opened_ns_ = base::monotonic_ns();
      guard_.reset();
      ended_ns_ = base::monotonic_ns();
      ends_.fetch_add(1);
      ends_.notify_all();
    }
  }

  std::unique_ptr<Guard> guard_;
  uint64_t bytes_ = 0;
  std::vector<Part> parts_;
  std::atomic<int> calls_{0}, ends_{0};
  uint64_t began_ns_ = 0, opened_ns_ = 0, ended_ns_ = 0;
  std::thread thread_;
};

/// False: the mechanism does not take this memory.
bool measure(Mechanism mechanism, uint64_t bytes, Owner& owner) {
  const Buffer buffer = make_buffer(bytes);
  const std::vector<Part> parts = in_units(bytes);
  const volatile std::byte* const last = buffer.get() + bytes - 1;
  Samples close, open, wake;
  for (int round = 0; round < rounds_of(bytes); ++round) {
    const uint64_t before = base::monotonic_ns();
    auto guard = Guard::close(buffer.get(), bytes, parts, mechanism);
    if (!guard) {
      fmt::print(stderr, "tutti-guard-costs: {}: {}\n", to_string(mechanism), guard.status().message());
      return false;
    }
    close.push_back(base::monotonic_ns() - before);
    owner.bring(std::move(*guard), bytes, parts);
    (void)*last;
    const uint64_t seen = base::monotonic_ns();
    owner.await_end();
    open.push_back(owner.opening_ns());
    wake.push_back(seen - std::min(seen, owner.opened_ns()));
  }
  print(bytes, to_string(mechanism), "close", close);
  print(bytes, to_string(mechanism), "open", open);
  print(bytes, to_string(mechanism), "wake", wake);
  return true;
}

/// Into memory that was used for the call before.
void measure_copy(uint64_t bytes) {
  const Buffer buffer = make_buffer(bytes);
  const Part all{0, bytes};
  Samples copy;
  for (int round = 0; round <= rounds_of(bytes); ++round) {
    const uint64_t before = base::monotonic_ns();
    const auto made = SendCopy::of(buffer.get(), bytes, {&all, 1});
    if (round > 0 && made) copy.push_back(base::monotonic_ns() - before);
  }
  if (!copy.empty()) print(bytes, "copy", "copy", copy);
}

}  // namespace

int main() {
  Owner owner;
  for (uint64_t bytes = k_least_bytes; bytes <= k_most_bytes; bytes *= 4) {
    measure_copy(bytes);
    for (const Mechanism mechanism : overlap::guard::k_mechanisms)
      if (availability(mechanism)) measure(mechanism, bytes, owner);
  }
  return 0;
}
