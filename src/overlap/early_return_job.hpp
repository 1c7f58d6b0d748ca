#pragma once
// An operation whose call returns early (paper 002, section 4; DESIGN §6a). The data that it sends is copied, and the
// buffer that it receives into is guarded.

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "base/status.hpp"
#include "engine/job.hpp"
#include "engine/signal.hpp"
#include "overlap/buffer_uses.hpp"
#include "overlap/guard/guard.hpp"
#include "overlap/send_copy.hpp"

namespace tutti::overlap {

/// Prepared by the calling thread, then used only by its driver, except for the signals.
class EarlyReturnJob : public engine::Job, private engine::TaskWatcher {
 public:
  /// Which buffers belong to the operation only, not to the program.
  struct Owned {
    bool input = false, output = false;
  };
  /// Copies or guards the program's buffers, so that the call can return. `bound` is changed to the buffers that the
  /// operation uses; `tasks` must outlive the job; `mechanisms`: those allowed, preferred first. Errors: not_supported
  /// if the memory cannot be guarded; out_of_memory. On an error nothing has changed, and the call must wait.
  base::Status step_aside(const schedule::Schedule& tasks, engine::Bindings* bound, Owned owned,
                          std::span<const guard::Mechanism> mechanisms);

  /// Set when the call may return: the data on pages that could not be guarded has arrived.
  engine::Signal& may_return() { return may_return_; }

  /// Set when the operation has ended.
  engine::Signal& end() { return end_; }
  /// Whether this thread has made the call.
  bool is_of_this_thread() const { return caller_ == std::this_thread::get_id(); }
  /// Whether the operation writes the memory at this address. Gaps between the parts that it writes do not count.
  bool writes_to(const void* address) const;

  /// Reference count. The object is deleted when it has been released as often as it was held; the driver holds it
  /// once.
  void hold() { holders_.fetch_add(1, std::memory_order_relaxed); }
  void release_hold() {
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 protected:
  EarlyReturnJob() = default;
  ~EarlyReturnJob() override = default;
  /// Unprotects everything. Called first at the end, on the driving thread.
  void open();

 private:
  base::Status put_aside(const schedule::Schedule& tasks, engine::Bindings* bound, Owned owned,
                         std::span<const guard::Mechanism> mechanisms);
  bool has_done(schedule::TaskId id) const override { return is_own_copy(*schedule_, id); }
  void task_ended(schedule::TaskId id) override;

  const std::thread::id caller_ = std::this_thread::get_id();
  const schedule::Schedule* schedule_ = nullptr;
  const std::byte* output_ = nullptr;  // the program's buffer, if it is guarded
  std::vector<guard::Part> written_;   // parts of output_
  SendCopy input_copy_, output_copy_;
  std::unique_ptr<guard::Guard> guard_;
  engine::Signal may_return_, end_;
  std::atomic<int> holders_{1};
};

}  // namespace tutti::overlap
