#pragma once
// Errors of collectives that fail after they have returned. The thread that carries them out meets the error; the
// program hears of it in the call that completes the request, from the error handler of the communicator, on
// its own thread (MPI 4.0, sections 3.7.3 and 9.3).

#include <mpi.h>

#include <optional>
#include <span>
#include <vector>

#include "mpi/request/failure.hpp"

namespace tutti::mpi {

class PendingRequests;

/// Stands around a native call that completes requests, or looks at them. Used by the thread that makes it.
class ErrorDelivery {
 public:
  /// `pending` outlives this; nullptr: there are none.
  ErrorDelivery(PendingRequests* pending, int count, const MPI_Request* requests);
  ~ErrorDelivery();
  ErrorDelivery(const ErrorDelivery&) = delete;
  ErrorDelivery& operator=(const ErrorDelivery&) = delete;

  /// Of what a generalized request says while it is completed: this call raises the error. False: no call
  /// here would, a tool has called the MPI past us.
  static bool takes(MPI_Request request, const Failure& failure);

  /// The communicator's error handler hears of a failure.
  static void raise(const Failure& failure);

  /// What the call returns when the native one has returned `result` and completed the request at `index`;
  /// negative: none.
  int one(int result, int index);
  /// The same where it has completed all.
  int all(int result, MPI_Status* statuses);
  /// The same where it has completed those at `indices`, whose statuses stand in this order.
  int some(int result, std::span<const int> indices, MPI_Status* statuses);

 private:
  std::optional<Failure> take_failure(size_t index);
  template <class IndexOf>
  int raise_all(int result, size_t count, IndexOf index_of, MPI_Status* statuses);

  struct Failed {
    MPI_Request request = MPI_REQUEST_NULL;
    Failure failure;
  };

  PendingRequests* pending_ = nullptr;  // nullptr: no request of ours is about
  ErrorDelivery* outer_ = nullptr;      // an error handler, or a callback of the program, completes requests
  std::vector<MPI_Request> requests_;   // as they were: completed ones are gone
  std::vector<Failed> failed_;          // of those that cannot be started again
};

}  // namespace tutti::mpi
