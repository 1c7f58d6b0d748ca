#pragma once
// A blocking collective that returns before its data is there (DESIGN §6a).
//
// The program has no request for it. What it must not do before the end of the operation it finds out by touching the
// receive buffer, which waits, or in the next call of the MPI that is given this memory.

#include <memory>
#include <optional>

#include "dispatch/answer.hpp"
#include "dispatch/observer.hpp"
#include "mpi/data/buffers.hpp"
#include "overlap/early_job.hpp"

namespace tutti::mpi {

class Communicator;

/// Made by the thread that calls; ends on the progress thread.
class EarlyCall final : public overlap::EarlyJob {
 public:
  /// Starts the operation. `may_return`: ok, or why the call has to wait inside. `buffers` are taken over where the
  /// call may return; they stay where it has waited inside for the end, whose status is then the result. `event`: the
  /// call's, for observers.
  static std::optional<base::Status> begin(Communicator& communicator, const dispatch::Prepared& prepared,
                                           const dispatch::CallEvent& event, const engine::Bindings& bindings,
                                           std::unique_ptr<Buffers>* buffers, const base::Status& may_return);

 private:
  EarlyCall(Communicator& communicator, const dispatch::Prepared& prepared, const dispatch::CallEvent& event)
      : communicator_(communicator), plan_(prepared.plan), event_(event) {
    event_.answer = nullptr;  // it goes with the call
  }
  void ended(const base::Status& status) override;

  Communicator& communicator_;
  std::shared_ptr<const engine::Plan> plan_;
  dispatch::CallEvent event_;
  std::unique_ptr<Buffers> buffers_;
  base::Status status_;
  bool has_returned_ = false;
};

}  // namespace tutti::mpi
