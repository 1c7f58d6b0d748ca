#pragma once
// A persistent collective that Tutti serves, from its initialisation until the program frees its request.
//
// The program gets a persistent request of its MPI (completion_message.hpp, ADR 7). MPI_Start starts this request and
// Tutti's operation; the end of the operation completes the request.

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "engine/cpu_engine.hpp"
#include "engine/job.hpp"
#include "mpi/call/call.hpp"
#include "mpi/request/completion_message.hpp"
#include "mpi/request/native_requests.hpp"
#include "mpi/request/pending_requests.hpp"
#include "transport/endpoint.hpp"

namespace tutti::mpi {

/// Held by the program's request and, while it is active, by the job. It has its own engine, because MPI permits every
/// rank to start the persistent collectives of a communicator in a different order: none may wait for another.
class PersistentCall final : public engine::Job, public PendingRequest {
 public:
  PersistentCall(Collective collective, Communicator& communicator, const void* caller = nullptr)
      : call_(collective, communicator, CallInterface::persistent, caller) {}
  ~PersistentCall() override;

  Call& call() { return call_; }
  /// Sets the progress mode that the program requests. Called before begin() or make_ready().
  void set_hint(select::ProgressMode mode) { mode_ = mode; }

  /// Ends the initialisation of a prepared call. False, on all ranks: the native MPI serves it. Otherwise *result is
  /// the return value of MPI_*_init.
  static bool begin(std::unique_ptr<PersistentCall> made, MPI_Request* request, int* result);

  /// The same without a request of the MPI: only end() reports the end. False, on all ranks: the native MPI serves it.
  bool make_ready();

  /// Starts the inactive request. Returns the return value of MPI_Start.
  int restart() override;
  bool is_persistent() const override { return true; }
  /// A completion call has waited for the end.
  void waited() override;
  void free_native(MPI_Request request) override;
  std::optional<Failure> take_failure() override { return std::exchange(failure_, std::nullopt); }

 private:
  bool is_ready() override;
  base::Result<engine::Operation*> start() override;
  void ended(const base::Status& status) override;
  /// Completes the request.
  void tell();
  /// Called at the end of an operation and by MPI_Request_free, possibly at the same time. True for the second of them,
  /// which frees the native request, because MPICH 4.0 fails if an active one is freed.
  bool comes_second() { return is_first_over_.exchange(true, std::memory_order_acq_rel); }
  void free_inactive();

  Call call_;
  select::ProgressMode mode_ = select::ProgressMode::automatic;
  std::optional<uint16_t> number_;
  std::unique_ptr<transport::Endpoint> network_;
  std::optional<engine::CpuEngine> engine_;
  std::optional<CompletionMessage> completion_message_;
  MPI_Request freed_ = MPI_REQUEST_NULL;
  std::atomic<bool> is_first_over_{true};  // an inactive request has no operation that could end
  bool is_timed_ = false;  // the latest operation is timed, and no completion call has waited for it
  TrialTimes times_;
  std::optional<Failure> failure_;  // of the latest operation
};

/// Tutti's state for a communicator on which it may serve persistent collectives; otherwise nullptr.
Communicator* serves_persistent(MPI_Comm comm);
/// The initialisation of a persistent collective went native and returned `result`, which is returned.
int count_native_init(MPI_Comm comm, int result);
/// The same if the program starts the request by MPI calls: its operations are reported to observers.
int went_native(Collective collective, MPI_Comm comm, const void* caller, const MPI_Request* request,
                int result);

}  // namespace tutti::mpi
