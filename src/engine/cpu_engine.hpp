#pragma once
// Executes schedules on the calling thread (DESIGN §4 and §6): a program thread inside MPI calls, or a
// progress thread.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.hpp"
#include "engine/engine.hpp"
#include "engine/plan.hpp"
#include "engine/wait_policy.hpp"
#include "transport/endpoint.hpp"

namespace tutti::engine {

class InlineProgress;
class RunningOperation;

/// One rank's engine. Used by one thread at a time.
///
/// Any number of operations may be in flight. Those that use the node's shared memory, or a local endpoint
/// other than the network, run one after the other in start order, which is the same on all ranks. One that
/// waits for a late slot delays those behind it.
///
/// Costs: running a plan again allocates nothing, takes no lock and makes no system call, as long as its
/// private memory fits in k_kept_scratch_bytes and the same holds for the endpoints and the wait policy.
class CpuEngine final : public Engine {
 public:
  /// `share` is for WaitPolicy::automatic. wait() also drives the jobs of `beside`: peers may need this
  /// rank's part in them before they start the operation that wait() waits for.
  explicit CpuEngine(Ports ports, WaitPolicy policy = WaitPolicy::automatic,
                     base::CpuShare share = base::CpuShare::own, InlineProgress* beside = nullptr);
  /// Every operation must have ended and been released.
  ~CpuEngine() override;

  base::Result<Operation*> start(const Plan& plan, const Bindings& bindings) override;
  bool progress() override;
  void release(Operation* operation) override;
  base::Status wait(Operation* operation) override;

  /// Bytes of memory kept for reuse.
  size_t footprint_bytes() const;

 private:
  base::Status check(const Plan& plan, const Bindings& bindings) const;
  RunningOperation* acquire();
  bool poll(transport::Endpoint& endpoint);
  bool poll_networks();
  bool progress_beside();
  void nap();
  void launch_waiting();
  bool retire_done();

  Ports ports_;
  Waiter waiter_;
  InlineProgress* beside_;
  std::vector<std::unique_ptr<RunningOperation>> pool_;  // its index is the upper half of a transfer's cookie
  std::vector<RunningOperation*> free_;                  // ready to be started
  std::vector<RunningOperation*> active_;                // in start order
};

}  // namespace tutti::engine
