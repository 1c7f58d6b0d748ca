#pragma once
// Nonblocking calls that the native MPI serves and whose cost somebody wants to know: run-time selection, or observers.
// Their requests are the MPI's own, so the completion calls tell when they have completed. Likewise the operations of
// persistent collectives.

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "dispatch/call_site.hpp"
#include "dispatch/observer.hpp"
#include "dispatch/services.hpp"
#include "select/tuner.hpp"

namespace tutti::mpi {

class RunRecord;

/// What a nonblocking call costs is all from its start to its completion.
struct TrialTimes {
  uint64_t started_ns = 0;
  uint64_t returned_ns = 0;
  uint64_t awaited_ns = 0;  // a call began to wait for it; 0: none did

  select::Sample sample(uint64_t completed_ns) const;
};

/// A message that the program does not wait for at once, for a record of the run.
struct PendingMessage {
  RunRecord* record = nullptr;  // nullptr: it is none
  const record::Track* track = nullptr;
  int peer = MPI_PROC_NULL;  // of that communicator
  record::MessageCall call = record::MessageCall::wait;
};

/// Who wants to know what a call has cost.
struct Interest {
  dispatch::CallSite* site = nullptr;  // of a trial, which is `turn`; nullptr: it is none
  select::Turn turn;
  const dispatch::Observers* observers = nullptr;  // nullptr: none
  dispatch::CallEvent event;                       // for them
  dispatch::Held* communicator = nullptr;          // stays until then; nullptr: there is none to keep
  PendingMessage message;

  /// `began_ns`: when the call was made.
  void completed(uint64_t began_ns, const select::Sample& cost) const;
  /// The request is still there when the operation has ended.
  bool is_persistent() const { return event.interface == select::CallKind::persistent; }
};

/// Any thread.
class NativeRequests {
 public:
  bool contains(MPI_Request request);
  /// For whom a wait for the request is: of a message its own, of a collective all of the communicator; nullopt: it is
  /// none of these.
  std::optional<PendingMessage> awaited_by(MPI_Request request);
  /// The program frees the request of a message, and does not hear of its end.
  void remove(MPI_Request request);
  bool is_empty() const { return count_.load(std::memory_order_relaxed) == 0; }
  /// The call has just returned.
  void add(MPI_Request request, const Interest& interest, uint64_t started_ns);

  /// Lets those go that have not completed.
  void forget();

  /// Around a completion call: finds the requests that it completes.
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
    struct Watched {
      int place;  // in the array
      MPI_Request request;
      bool is_persistent;
    };
    std::vector<Watched> watched_;
  };

 private:
  struct Pending {
    Interest interest;
    TrialTimes times;
  };
  /// False: it is none of these.
  bool note_wait(MPI_Request request, uint64_t now_ns, bool waits, bool* is_persistent);
  void completed(MPI_Request request, uint64_t now_ns);

  std::atomic<size_t> count_{0};
  std::mutex mutex_;
  std::unordered_map<MPI_Request, Pending> pending_;
};

}  // namespace tutti::mpi
