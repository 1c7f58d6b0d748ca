#pragma once
// Notifies the MPI of the end of an operation of Tutti's, by completing a native persistent request.

#include <mpi.h>

#include <mutex>
#include <vector>

#include "base/status.hpp"

namespace tutti::mpi {

/// A communicator with this process only, and the tags that are in use on it. Any thread.
class CompletionChannel {
 public:
  /// Local. Error: mpi.
  base::Status open();
  void close();
  MPI_Comm comm() const { return comm_; }
  int take_tag();
  void give_back(int tag);

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::mutex mutex_;
  std::vector<int> free_;
  int next_ = 0;
};

/// A persistent request of the MPI that Tutti can complete: it receives an empty message that this process sends to
/// itself. The MPI itself handles all uses of the request by the program: completion calls, mixtures with other
/// requests, MPI_Request_free, statuses, Fortran handles.
class CompletionMessage {
 public:
  /// The channel outlives this. Error: mpi.
  explicit CompletionMessage(CompletionChannel& channel) : channel_(channel) {}
  ~CompletionMessage();
  CompletionMessage(const CompletionMessage&) = delete;
  CompletionMessage& operator=(const CompletionMessage&) = delete;

  /// Creates the inactive request, which belongs to the program. Error: mpi.
  base::Status make(MPI_Request* request);
  /// Completes the request, which is active. Any thread.
  void send();

 private:
  CompletionChannel& channel_;
  int tag_ = -1;
  char nothing_ = 0;  // buffer of the empty message
};

}  // namespace tutti::mpi
