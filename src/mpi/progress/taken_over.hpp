#pragma once
// Work that the program's threads take over from one of Tutti's threads when that ends, because the process exits or
// MPI_Finalize begins.

#include <atomic>
#include <functional>
#include <utility>

#include "engine/inline_progress.hpp"
#include "mpi/progress/duty.hpp"

namespace tutti::mpi {

/// Makes progress whenever the driver does. The driver has a job until end().
class TakenOver final : private Duty {
 public:
  /// Called once. `step`: makes progress, and returns true if it made any.
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
