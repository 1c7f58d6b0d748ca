#pragma once
// When a program first uses the parts of a buffer that has arrived (paper 002, section 5.1.1): they are closed once
// more, and each opens when somebody touches it.

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
  /// The process has one, which stays: a thread watches for it.
  static AccessTraces& of_process();

  static constexpr uint64_t k_never = UINT64_MAX;
  /// What has become of one trace: when each part was first used, in ns since begin(). Parts that share a unit of the
  /// guard are used together; what could not be closed is never used.
  using Ended = std::function<void(std::vector<uint64_t> first_use_ns)>;

  /// Closes the parts. Nobody else knows of the buffer yet. Errors: not_supported, where no mechanism guards this
  /// memory; out_of_memory; system. Then nothing has changed, and `ended` is not called.
  base::Status begin(std::byte* buffer, std::span<const guard::Part> parts,
                     std::span<const guard::Mechanism> mechanisms, Ended ended);

  /// One load, also where there is none yet.
  static bool is_empty() { return count_.load(std::memory_order_acquire) == 0; }
  /// Opens what is still closed; the traces are over, and have been told, when it returns.
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
  guard::TouchListener* listener_ = nullptr;  // of the watching thread, once it runs
};

}  // namespace tutti::overlap
