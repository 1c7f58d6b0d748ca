#pragma once
// A blocking collective that returns before its data has arrived (DESIGN §6a).
//
// The program has no request for it. An access to the receive buffer waits for the data, and so does the next MPI call
// that gets this memory.

#include <memory>
#include <optional>

#include "collective/dispatched_call.hpp"
#include "collective/mpi/data/buffers.hpp"
#include "collective/observer.hpp"
#include "overlap/early_return_job.hpp"

namespace tutti::mpi {

class Communicator;

/// Created by the calling thread; ends on the progress thread.
class EarlyReturnCall final : public overlap::EarlyReturnJob {
 public:
  /// Starts the operation. `may_return`: ok, or the reason why the call has to wait inside. If the call may return,
  /// `buffers` are taken over and the result is nullopt. Otherwise the call waits for the end, keeps `buffers`, and the
  /// result is the status of the operation. `event`: of the call, for observers.
  static std::optional<base::Status> begin(Communicator& communicator,
                                           const collective::PreparedCall& prepared,
                                           const collective::CallEvent& event,
                                           const engine::Bindings& bindings,
                                           std::unique_ptr<Buffers>* buffers, const base::Status& may_return);

 private:
  EarlyReturnCall(Communicator& communicator, const collective::PreparedCall& prepared,
                  const collective::CallEvent& event)
      : communicator_(communicator),
        plan_(std::get<collective::ScheduledCall>(prepared.work).plan),
        event_(event) {
    event_.dispatched = nullptr;  // its lifetime is that of the call
  }
  void ended(const base::Status& status) override;

  Communicator& communicator_;
  std::shared_ptr<const engine::Plan> plan_;
  collective::CallEvent event_;
  std::unique_ptr<Buffers> buffers_;
  base::Status status_;
  bool has_returned_ = false;
};

}  // namespace tutti::mpi
