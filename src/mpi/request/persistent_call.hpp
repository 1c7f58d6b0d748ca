#pragma once
// A persistent collective that Tutti serves, from its initialisation until the program frees its request.
//
// What the program gets is a persistent request of its MPI (end_message.hpp, ADR 7). MPI_Start starts that
// and our operation; when the operation has ended, so does the request.

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "engine/cpu_engine.hpp"
#include "engine/job.hpp"
#include "mpi/entry/call.hpp"
#include "mpi/request/end_message.hpp"
#include "mpi/request/native_requests.hpp"
#include "mpi/request/pending_requests.hpp"
#include "transport/endpoint.hpp"

namespace tutti::mpi {

/// Held by the program's request and, while it is active, by the job. It has an engine of its own, because
/// MPI lets every rank start the persistent collectives of a communicator in another order: none may wait for
/// another.
class PersistentCall final : public engine::Job, public PendingRequest {
 public:
  PersistentCall(Collective collective, Communicator& communicator, const void* caller = nullptr)
      : call_(collective, communicator, CallKind::persistent, caller) {}
  ~PersistentCall() override;

  Call& call() { return call_; }
  /// The progress mode that the program has asked for. Before it is made ready.
  void set_hint(select::ProgressMode mode) { mode_ = mode; }

  /// Ends the initialisation of a call that has been made ready. False leaves it to the native MPI, on all
  /// ranks alike. Otherwise *result is what MPI_*_init returns.
  static bool begin(std::unique_ptr<PersistentCall> made, MPI_Request* request, int* result);

  /// The same without a request of the MPI: the end is known by end() alone. False: the native MPI, on all
  /// ranks alike.
  bool make_ready();

  /// The request is inactive. What MPI_Start returns.
  int restart() override;
  bool is_persistent() const override { return true; }
  /// A completion call has waited for its end.
  void waited() override;
  void free_native(MPI_Request request) override;
  std::optional<Failure> take_failure() override { return std::exchange(failure_, std::nullopt); }

 private:
  bool is_ready() override;
  base::Result<engine::Operation*> start() override;
  void ended(const base::Status& status) override;
  /// The request is complete.
  void tell();
  /// Of the end of an operation and of MPI_Request_free, which may come at the same time: the second of them
  /// frees the native request. MPICH 4.0 goes astray where an active one is freed.
  bool comes_second() { return is_first_over_.exchange(true, std::memory_order_acq_rel); }
  void free_inactive();

  Call call_;
  select::ProgressMode mode_ = select::ProgressMode::automatic;
  std::optional<uint16_t> number_;
  std::unique_ptr<transport::Endpoint> network_;
  std::optional<engine::CpuEngine> engine_;
  std::optional<EndMessage> end_message_;
  MPI_Request freed_ = MPI_REQUEST_NULL;
  std::atomic<bool> is_first_over_{true};  // an inactive request has no operation that could end
  bool is_timed_ = false;  // the operation that was started last, until a completion call has waited for it
  TrialTimes times_;
  std::optional<Failure> failure_;  // of the operation that was started last
};

/// Tutti may serve a persistent collective on this communicator. nullptr: it does not.
Communicator* serves_persistent(MPI_Comm comm);
/// The initialisation of a persistent collective went native, and returned `result`, which it gives back.
int count_native_init(MPI_Comm comm, int result);
/// The same where the program starts the request by calls of MPI: observers hear of its operations.
int went_native(Collective collective, MPI_Comm comm, const void* caller, const MPI_Request* request,
                int result);

}  // namespace tutti::mpi
