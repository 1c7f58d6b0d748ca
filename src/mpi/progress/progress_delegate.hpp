#pragma once
// Lets the progress thread drive the jobs of a rank that blocks in the native MPI.

#include <atomic>
#include <cstdint>

#include "engine/driver.hpp"
#include "engine/inline_progress.hpp"
#include "mpi/progress/duty.hpp"

namespace tutti::mpi {

/// While the rank blocks, the progress thread drives the in-call jobs that the rank would drive itself.
///
/// begin() and end() are called in turns, by one thread at a time. The progress thread may notice an end() late, or not
/// at all if the next begin() precedes that.
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
  static constexpr uint32_t k_wanted = 1;    // the rank blocks
  static constexpr uint32_t k_unwanted = 2;  // the rank is back, and the thread has not noticed

  engine::InlineProgress& work_;
  engine::Driver* thread_ = nullptr;
  std::atomic<uint32_t> state_{k_idle};
};

}  // namespace tutti::mpi
