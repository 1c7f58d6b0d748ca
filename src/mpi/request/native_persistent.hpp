#pragma once
// Reports persistent collectives that the native MPI serves to observers: every start is a separate operation.

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collective/observer.hpp"
#include "mpi/request/native_requests.hpp"

namespace tutti::mpi {

/// Any thread.
class NativePersistent {
 public:
  /// `started`: gets every operation. Both arguments outlive this.
  NativePersistent(NativeRequests& started, const collective::Observers& observers)
      : started_(started), observers_(observers) {}

  /// The initialisation went native. `event`: common data of all operations of the request.
  void add(MPI_Request request, const collective::CallEvent& event);
  /// The program frees the request.
  void remove(MPI_Request request);

  /// Wraps a native start.
  class Start {
   public:
    /// `persistent`: nullptr: there are none.
    Start(NativePersistent* persistent, int count, const MPI_Request* requests);
    /// The native call has returned `result`, which is returned.
    int ended(int result);

   private:
    NativePersistent* persistent_;
    std::vector<std::pair<MPI_Request, collective::CallEvent>> begun_;
  };

 private:
  bool find(MPI_Request request, collective::CallEvent* event);

  NativeRequests& started_;
  const collective::Observers& observers_;
  std::atomic<size_t> count_{0};
  std::mutex mutex_;
  std::unordered_map<MPI_Request, collective::CallEvent> all_;
};

}  // namespace tutti::mpi
