#pragma once
// The progress thread in place of a rank that blocks in the native MPI and cannot carry out what was left to
// it.

#include <atomic>
#include <cstdint>

#include "engine/driver.hpp"
#include "engine/engine.hpp"
#include "engine/inline_progress.hpp"

namespace tutti::mpi {

/// A job like any other for the thread: an engine with one operation, which lasts as long as the rank is
/// away and moves on what the rank would have moved on.
///
/// begin() and end() in turns, from one thread at a time. The thread may notice an end() late, or never when
/// the next begin() is before that.
class Delegate final : private engine::Engine, private engine::Operation, private engine::Job {
 public:
  explicit Delegate(engine::InlineProgress& work) : work_(work) {}

  void begin(engine::Driver& thread);
  void end();

 private:
  base::Result<engine::Operation*> start() override { return static_cast<engine::Operation*>(this); }
  base::Result<engine::Operation*> start(const engine::Plan&, const engine::Bindings&) override {
    return start();
  }
  bool progress() override { return work_.progress(); }
  void release(engine::Operation*) override {}
  base::Status wait(engine::Operation*) override;

  bool is_done() const override { return state_.load(std::memory_order_acquire) != k_wanted; }
  const base::Status& status() const override { return status_; }

  void ended(const base::Status& status) override;

  static constexpr uint32_t k_idle = 0;      // not handed over
  static constexpr uint32_t k_wanted = 1;    // the rank is away
  static constexpr uint32_t k_unwanted = 2;  // it is back, and the thread has not noticed

  engine::InlineProgress& work_;
  engine::Driver* thread_ = nullptr;
  base::Status status_;
  std::atomic<uint32_t> state_{k_idle};
};

}  // namespace tutti::mpi
