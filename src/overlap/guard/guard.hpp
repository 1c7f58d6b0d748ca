#pragma once
// A buffer whose contents arrive in parts while the program goes on (paper 002, section 4.1): whoever touches a part
// that is not there waits until it is.
//
//   page      |.........|.........|.........|.........|
//   buffer        |<------------------------------->|
//             edge       closed pages            edge
//
// Pages that belong to the buffer in part hold other data of the program, too, so they are never closed: their owner
// makes sure that they are done before the program goes on (paper 002, section 4.1.2). Closed pages open in units of
// some pages, because opening one costs as much as opening many.

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.hpp"
#include "overlap/guard/closed_ranges.hpp"
#include "overlap/guard/cover.hpp"
#include "overlap/guard/mechanism.hpp"
#include "overlap/guard/pages.hpp"

namespace tutti::overlap::guard {

/// Part of a buffer, in bytes from its beginning.
struct Part {
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

/// One thread at a time uses it, but where a function says otherwise: first the program's thread inside the call, then
/// the owner.
class Guard {
 public:
  /// Closes the whole pages of the units that `uses` touch; a unit stays closed until all its uses have ended.
  /// `uses`: what the owner will do with the buffer, reads and writes, any number of times. Errors: not_supported,
  /// where there is no whole page or the mechanism refuses this memory; out_of_memory. Then everything is open.
  static base::Result<std::unique_ptr<Guard>> close(std::byte* buffer, uint64_t bytes,
                                                    std::span<const Part> uses, Mechanism mechanism);
  /// By the first mechanism that takes this memory.
  static base::Result<std::unique_ptr<Guard>> close(std::byte* buffer, uint64_t bytes,
                                                    std::span<const Part> uses,
                                                    std::span<const Mechanism> mechanisms);
  /// open_all().
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  /// Where the owner reads and writes the buffer.
  std::byte* owners_buffer() const { return cover_->owners_view(buffer_); }
  /// One of the uses has ended.
  void end(Part use);
  /// All have, or there will be no more.
  void open_all();

  /// The edges are done: the call may return. Any thread.
  bool are_edges_open() const { return open_edges_.load(std::memory_order_acquire) == 0; }

 private:
  Guard(std::byte* buffer, uint64_t bytes);
  base::Status close_used();
  base::Status close(size_t first, size_t end);
  void divide(std::span<const Part> uses);
  void count(std::span<const Part> uses);
  size_t unit_at(const std::byte* address) const;
  Pages pages_of(size_t unit) const;
  void open(size_t first, size_t end);
  void take_edge(size_t unit);
  void open_edge(size_t unit);
  /// What lies of the buffer before and behind the whole pages.
  Part edge(size_t unit) const;
  size_t tail() const { return uses_.size() - 1; }

  std::byte* const buffer_;
  const uint64_t bytes_;
  const Pages inner_;
  std::unique_ptr<Cover> cover_;
  std::unique_ptr<ClosedRange> closed_;
  std::vector<std::byte*> bounds_;  // of the units of inner_, with its own
  std::vector<uint32_t> uses_;      // that have not ended: of the head, of each unit of inner_, of the tail
  std::atomic<uint32_t> open_edges_{0};
};

}  // namespace tutti::overlap::guard
