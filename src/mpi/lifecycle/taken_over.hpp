#pragma once
// What a thread of Tutti's did before it left, and the program's threads do from then on: where the process exits, or
// MPI_Finalize begins.

#include <atomic>
#include <functional>
#include <utility>

#include "engine/inline_progress.hpp"
#include "mpi/lifecycle/duty.hpp"

namespace tutti::mpi {

/// Is moved on whenever the driver is, which has something to do until end().
class TakenOver final : private Duty {
 public:
  /// Once. `step`: moves it on, and returns whether anything has moved.
  void begin(engine::InlineProgress& driver, std::function<bool()> step) {
    step_ = std::move(step);
    driver.submit(this);
  }
  /// Ends at the driver's next progress().
  void end() { is_over_.store(true, std::memory_order_release); }

 private:
  bool progress() override { return step_(); }
  bool is_done() const override { return is_over_.load(std::memory_order_acquire); }
  void ended(const base::Status&) override {}

  std::function<bool()> step_;
  std::atomic<bool> is_over_{false};
};

}  // namespace tutti::mpi
