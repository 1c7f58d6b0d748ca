#pragma once
// Delivers errors of collectives that fail after their calls have returned. The error occurs on the thread that carries
// out the operation; the call that completes the request raises it by the error handler of the communicator, on the
// program's thread (MPI 4.0, sections 3.7.3 and 9.3).

#include <mpi.h>

#include <optional>
#include <span>
#include <vector>

#include "mpi/request/failure.hpp"

namespace tutti::mpi {

class PendingRequests;

/// Wraps a native call that completes requests or gets their status. Used by the thread that makes the call.
class ErrorDelivery {
 public:
  /// `pending` outlives this; nullptr: there are none.
  ErrorDelivery(PendingRequests* pending, int count, const MPI_Request* requests);
  ~ErrorDelivery();
  ErrorDelivery(const ErrorDelivery&) = delete;
  ErrorDelivery& operator=(const ErrorDelivery&) = delete;

  /// Called when a generalized request with a failure is completed: the completion call of this thread will raise the
  /// error. False: there is no such call, because a tool has called the MPI directly.
  static bool takes(MPI_Request request, const Failure& failure);

  /// Calls the communicator's error handler with a failure.
  static void raise(const Failure& failure);

  /// The return value of a call whose native one has returned `result` and completed the request at `index`; negative:
  /// none.
  int one(int result, int index);
  /// The same if it has completed all requests.
  int all(int result, MPI_Status* statuses);
  /// The same if it has completed the requests at `indices`, whose statuses are in this order.
  int some(int result, std::span<const int> indices, MPI_Status* statuses);

 private:
  std::optional<Failure> take_failure(size_t index);
  template <class IndexOf>
  int raise_all(int result, size_t count, IndexOf index_of, MPI_Status* statuses);

  struct Failed {
    MPI_Request request = MPI_REQUEST_NULL;
    Failure failure;
  };

  PendingRequests* pending_ = nullptr;  // nullptr: there is no request that Tutti serves
  ErrorDelivery* outer_ = nullptr;      // outer call, if an error handler or callback completes requests
  std::vector<MPI_Request> requests_;   // copies, because the call resets completed requests
  std::vector<Failed> failed_;          // failures of generalized requests
};

}  // namespace tutti::mpi
