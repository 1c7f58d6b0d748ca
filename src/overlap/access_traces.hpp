#pragma once
// Records when a program first uses each part of a received buffer (paper 002, section 5.1.1). The parts are protected
// once more, and each is unprotected at its first access.

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/short_way.hpp"
#include "base/status.hpp"
#include "overlap/guard/guard.hpp"
#include "overlap/guard/touches.hpp"

namespace tutti::overlap {

/// Any thread.
class AccessTraces {
 public:
  /// The only object of the process. It is never destroyed, because a thread uses it.
  static AccessTraces& of_process();

  static constexpr uint64_t k_never = UINT64_MAX;
  /// Receives the result of one trace: time of the first use of each part, in ns since begin(). Parts that share a unit
  /// of the guard get the same time; parts that could not be protected get k_never.
  using Ended = std::function<void(std::vector<uint64_t> first_use_ns)>;

  /// Protects the parts; the program must not know the buffer's contents yet. Errors: not_supported if no mechanism can
  /// guard this memory; out_of_memory; system. On an error nothing has changed, and `ended` is not called.
  base::Status begin(std::byte* buffer, std::span<const guard::Part> parts,
                     std::span<const guard::Mechanism> mechanisms, Ended ended);

  /// Whether there is no trace. One load; does not create the object.
  static bool is_empty() { return count_.load(std::memory_order_acquire) == 0; }
  /// Ends all traces: unprotects the remaining parts and calls `ended` for each trace before it returns.
  void end_all();

 private:
  AccessTraces() = default;
  struct Trace {
    std::byte* buffer = nullptr;
    std::vector<guard::Part> parts;
    std::vector<uint64_t> first_use_ns;
    uint64_t start_ns = 0;
    std::unique_ptr<guard::Guard> guard;
    Ended ended;
  };
  static void* watch(void* traces);
  base::Status start_watching();
  void touched(uint64_t address);
  static void touched(Trace& trace, uint64_t offset, uint64_t now_ns);

  std::mutex mutex_;
  std::list<Trace> traces_;
  base::ShortWay::Reason are_some_;
  static inline constinit std::atomic<uint32_t> count_{0};
  guard::TouchListener* listener_ = nullptr;  // used by the watching thread; nullptr until it runs
};

}  // namespace tutti::overlap
