#pragma once
// Guard of a buffer whose contents arrive in parts while the program continues (paper 002, section 4.1): a thread that
// accesses a part that has not arrived waits for it.
//
//   page      |.........|.........|.........|.........|.........|
//   buffer        |<---------------------->   <------------->|
//             edge    closed pages   edge  (gap) edge  closed
//
// A page is closed (protected) only if all its bytes belong to the operation. A page that the buffer, or a gap in it,
// shares with other data is never closed: that data may belong to another operation, for which a peer waits. The owner,
// the thread that brings the data, must complete the buffer's bytes on such a page, an edge, before the program
// continues (paper 002, section 4.1.2). Closed pages are opened in units of several pages, because opening one costs as
// much as opening many.

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.hpp"
#include "overlap/guard/closed_ranges.hpp"
#include "overlap/guard/mechanism.hpp"
#include "overlap/guard/page_protection.hpp"
#include "overlap/guard/pages.hpp"

namespace tutti::overlap::guard {

/// Part of a buffer, in bytes from its beginning.
struct Part {
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

/// The pages that the parts cover completely, as parts of the buffer: sorted, with adjacent ones merged. Throws
/// std::bad_alloc.
std::vector<Part> whole_pages_of(const std::byte* buffer, std::span<const Part> parts);

/// Used by one thread at a time, except where noted: first by the program's thread inside the call, then by the owner.
class Guard {
 public:
  /// Closes the whole pages of the units that `uses` touch; a unit stays closed until all its uses have ended. `uses`:
  /// reads and writes of the buffer by the owner, also repeated ones. `filled`: other parts that belong to the
  /// operation and are complete already. Errors: not_supported if there is no whole page or the mechanism refuses this
  /// memory; out_of_memory. On an error all memory is open.
  static base::Result<std::unique_ptr<Guard>> close(std::byte* buffer, uint64_t bytes,
                                                    std::span<const Part> uses, Mechanism mechanism,
                                                    std::span<const Part> filled = {});
  /// The same with the first mechanism that accepts this memory.
  static base::Result<std::unique_ptr<Guard>> close(std::byte* buffer, uint64_t bytes,
                                                    std::span<const Part> uses,
                                                    std::span<const Mechanism> mechanisms,
                                                    std::span<const Part> filled = {});
  /// Calls open_all().
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  /// Address under which the owner accesses the buffer.
  std::byte* owners_buffer() const { return protection_->owners_view(buffer_); }
  /// One of the uses has ended; opens the units without pending uses.
  void end(Part use);
  /// Ends all remaining uses.
  void open_all();

  /// Whether the edges are complete, so that the call may return. Any thread.
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
  std::unique_ptr<PageProtection> protection_;
  std::unique_ptr<ClosedRange> closed_;
  std::vector<Part> used_;          // used by the owner; sorted, without overlaps
  std::vector<Part> closable_;      // whole_pages_of() all parts of the operation
  std::vector<std::byte*> bounds_;  // bounds of the units and edges, including the buffer's ends
  std::vector<uint32_t> uses_;      // pending uses of each unit
  std::atomic<uint32_t> open_edges_{0};
};

}  // namespace tutti::overlap::guard
