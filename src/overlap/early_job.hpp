#pragma once
// An operation whose call returns before it has ended (paper 002, section 4; DESIGN §6a): what it sends has been
// copied, and what it receives is guarded.

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

/// Prepared by the thread that calls; after that its driver's, but for the signals.
class EarlyJob : public engine::Job, private engine::TaskWatcher {
 public:
  /// Buffers that are nobody's but the operation's.
  struct Owned {
    bool input = false, output = false;
  };
  /// Takes the program's buffers out of the way of what comes after the call. `bound` becomes what the operation
  /// works with; `tasks` outlives the job; `mechanisms` that may be used, preferred first. Errors: not_supported,
  /// where memory cannot be guarded; out_of_memory. Then nothing has changed, and the call has to wait inside.
  base::Status step_aside(const schedule::Schedule& tasks, engine::Bindings* bound, Owned owned,
                          std::span<const guard::Mechanism> mechanisms);

  /// The program may go on: what could not be guarded is there.
  engine::Signal& may_return() { return may_return_; }

  /// Set when it is through.
  engine::Signal& end() { return end_; }
  /// This thread has made the call.
  bool is_of_this_thread() const { return caller_ == std::this_thread::get_id(); }
  /// The address lies in memory that the program has given to be written; what lies in gaps of it is no such memory.
  bool writes_to(const void* address) const;

  /// It stays until it has been released as often as it was held, once by its driver.
  void hold() { holders_.fetch_add(1, std::memory_order_relaxed); }
  void release_hold() {
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 protected:
  EarlyJob() = default;
  ~EarlyJob() override = default;
  /// On the driving thread, first thing at the end.
  void open();

 private:
  base::Status put_aside(const schedule::Schedule& tasks, engine::Bindings* bound, Owned owned,
                         std::span<const guard::Mechanism> mechanisms);
  bool has_done(schedule::TaskId id) const override { return is_own_copy(*schedule_, id); }
  void task_ended(schedule::TaskId id) override;

  const std::thread::id caller_ = std::this_thread::get_id();
  const schedule::Schedule* schedule_ = nullptr;
  const std::byte* output_ = nullptr;  // the program's, where it is guarded
  std::vector<guard::Part> written_;   // of it
  SendCopy input_copy_, output_copy_;
  std::unique_ptr<guard::Guard> guard_;
  engine::Signal may_return_, end_;
  std::atomic<int> holders_{1};
};

}  // namespace tutti::overlap
