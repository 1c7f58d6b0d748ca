#pragma once
// A buffer whose contents arrive in parts while the program goes on (paper 002, section 4.1): whoever touches a part
// that is not there waits until it is.
//
//   page      |.........|.........|.........|.........|.........|
//   buffer        |<---------------------->   <------------->|
//             edge    closed pages   edge  (gap) edge  closed
//
// A page is closed where each of its bytes belongs to the operation. A page that the buffer, or a gap in it, shares
// with other data is never closed: that data may belong to another operation, for which a peer waits. The owner makes
// sure that the buffer's bytes on such a page, an edge, are done before the program goes on (paper 002, section 4.1.2).
// Closed pages open in units of some pages, because opening one costs as much as opening many.

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

/// The pages of which each byte is in one of the parts, as parts of the buffer: in their order, none beside another.
/// Throws std::bad_alloc.
std::vector<Part> whole_pages_of(const std::byte* buffer, std::span<const Part> parts);

/// One thread at a time uses it, but where a function says otherwise: first the program's thread inside the call, then
/// the owner.
class Guard {
 public:
  /// Closes the whole pages of the units that `uses` touch; a unit stays closed until all its uses have ended.
  /// `uses`: what the owner will do with the buffer, reads and writes, any number of times. `filled`: what belongs to
  /// the operation as well, and is there already. Errors: not_supported, where there is no whole page or the mechanism
  /// refuses this memory; out_of_memory. Then everything is open.
  static base::Result<std::unique_ptr<Guard>> close(std::byte* buffer, uint64_t bytes,
                                                    std::span<const Part> uses, Mechanism mechanism,
                                                    std::span<const Part> filled = {});
  /// By the first mechanism that takes this memory.
  static base::Result<std::unique_ptr<Guard>> close(std::byte* buffer, uint64_t bytes,
                                                    std::span<const Part> uses,
                                                    std::span<const Mechanism> mechanisms,
                                                    std::span<const Part> filled = {});
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
  void divide(std::span<const Part> filled);
  void count(std::span<const Part> uses, std::span<const Part> filled);
  bool is_closable(const std::byte* address) const;
  size_t unit_at(const std::byte* address) const;
  Pages pages_of(size_t first, size_t end) const;
  void open(size_t first, size_t end);
  void take_edges();
  void open_edge(size_t unit);
  void forget_edges();
  template <class Visit>
  void for_each_used_part_of(size_t unit, Visit visit) const;
  bool is_edge(size_t unit) const { return !is_closable(bounds_[unit]); }

  std::byte* const buffer_;
  const uint64_t bytes_;
  std::unique_ptr<Cover> cover_;
  std::unique_ptr<ClosedRange> closed_;
  std::vector<Part> used_;          // what the owner uses: in its order, without overlaps
  std::vector<Part> closable_;      // whole_pages_of() the operation's bytes
  std::vector<std::byte*> bounds_;  // of the units, edges among them, with the buffer's own
  std::vector<uint32_t> uses_;      // of each unit, that have not ended
  std::atomic<uint32_t> open_edges_{0};
};

}  // namespace tutti::overlap::guard
