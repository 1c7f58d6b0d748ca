#pragma once
// The progress thread in place of a rank that blocks in the native MPI and cannot carry out what was left to
// it.

#include <atomic>
#include <cstdint>

#include "engine/driver.hpp"
#include "engine/inline_progress.hpp"
#include "mpi/lifecycle/duty.hpp"

namespace tutti::mpi {

/// Lasts as long as the rank is away, and moves on what the rank would have moved on.
///
/// begin() and end() in turns, from one thread at a time. The thread may notice an end() late, or never when
/// the next begin() is before that.
class Delegate final : private Duty {
 public:
  explicit Delegate(engine::InlineProgress& work) : work_(work) {}

  void begin(engine::Driver& thread);
  void end();

 private:
  bool progress() override { return work_.progress(); }
  bool is_done() const override { return state_.load(std::memory_order_acquire) != k_wanted; }
  void ended(const base::Status& status) override;

  static constexpr uint32_t k_idle = 0;      // not handed over
  static constexpr uint32_t k_wanted = 1;    // the rank is away
  static constexpr uint32_t k_unwanted = 2;  // it is back, and the thread has not noticed

  engine::InlineProgress& work_;
  engine::Driver* thread_ = nullptr;
  std::atomic<uint32_t> state_{k_idle};
};

}  // namespace tutti::mpi
