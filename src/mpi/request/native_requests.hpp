#pragma once
// Nonblocking calls that the native MPI serves and that run-time selection or observers have to time, and operations of
// persistent collectives. Their requests are the MPI's own, so the entry points of completion calls detect their end.

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "collective/call_site.hpp"
#include "collective/observer.hpp"
#include "collective/process_context.hpp"
#include "select/tuner.hpp"

namespace tutti::mpi {

class RunRecord;

/// Times of a nonblocking call, from its start to its completion.
struct TrialTimes {
  uint64_t started_ns = 0;
  uint64_t returned_ns = 0;
  uint64_t awaited_ns = 0;  // a completion call began to wait for it; 0: none did

  select::Sample sample(uint64_t completed_ns) const;
};

/// A nonblocking message of the program, for the record of the run.
struct PendingMessage {
  RunRecord* record = nullptr;  // nullptr: not a message
  const record::OperationCounter* counter = nullptr;
  int peer = MPI_PROC_NULL;  // rank in the counter's communicator
  record::MessageCall call = record::MessageCall::wait;
};

/// The receivers of the cost of a call.
struct CompletionObserver {
  collective::CallSite* site = nullptr;  // of a trial, which is `served_call`; nullptr: not a trial
  select::ServedCall served_call;
  const collective::Observers* observers = nullptr;  // nullptr: none
  collective::CallEvent event;                       // for the observers
  collective::RefCounted* communicator = nullptr;    // held until the completion; nullptr: none
  PendingMessage message;

  /// Reports the completion. `began_ns`: time of the call.
  void completed(uint64_t began_ns, const select::Sample& cost) const;
  /// True if the request still exists when the operation has ended.
  bool is_persistent() const { return event.interface == select::CallInterface::persistent; }
};

/// Any thread.
class NativeRequests {
 public:
  bool contains(MPI_Request request);
  /// The ranks for which a wait for the request waits: the peer of a message, or all ranks of a collective's
  /// communicator; nullopt: the request is unknown.
  std::optional<PendingMessage> awaited_by(MPI_Request request);
  /// The program frees the request of a message, so its completion will not be observed.
  void remove(MPI_Request request);
  bool is_empty() const { return count_.load(std::memory_order_relaxed) == 0; }
  /// Adds the request of a call that has just returned.
  void add(MPI_Request request, const CompletionObserver& observer, uint64_t started_ns);

  /// Drops the requests that have not completed.
  void forget();

  /// Wraps a completion call: finds the requests that it completes.
  class Watch {
   public:
    /// `natives` outlives this; nullptr: there are none.
    Watch(NativeRequests* natives, int count, const MPI_Request* requests, bool waits);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    NativeRequests* natives_;
    const MPI_Request* requests_;
    struct WatchedRequest {
      int place;  // index in the array
      MPI_Request request;
      bool is_persistent;
    };
    std::vector<WatchedRequest> watched_;
  };

 private:
  struct Pending {
    CompletionObserver observer;
    TrialTimes times;
  };
  /// False: the request is unknown.
  bool note_wait(MPI_Request request, uint64_t now_ns, bool waits, bool* is_persistent);
  void completed(MPI_Request request, uint64_t now_ns);

  std::atomic<size_t> count_{0};
  std::mutex mutex_;
  std::unordered_map<MPI_Request, Pending> pending_;
};

}  // namespace tutti::mpi
