#pragma once
// Interface of the observers of the program's calls: the report, run-time selection and the recorder.

#include <cstdint>
#include <vector>

#include "algorithm/request.hpp"
#include "collective/dispatched_call.hpp"
#include "record/recorder.hpp"
#include "select/candidate.hpp"
#include "select/measure.hpp"

namespace tutti::collective {

struct ReportLine;

/// State of one call of a collective. Times are base::monotonic_ns().
struct CallEvent {
  algorithm::Collective collective = algorithm::Collective::barrier;
  select::CallInterface interface = select::CallInterface::blocking;
  /// select::bytes_of_interest(). Unknown if only some ranks know the size, and for calls that pass through.
  uint64_t bytes = 0;
  bool bytes_known = false;
  bool passes_through = false;  // on a communicator that Tutti does not serve
  bool is_refused = false;      // by the native MPI, possibly on this rank only: the call has not taken place
  uint32_t root = record::k_no_root;
  const void* caller = nullptr;                 // the program's return address
  record::OperationCounter* counter = nullptr;  // of the communicator or request; nullptr: not recorded
  record::CallTicket recorded;                  // the recorder's own
  uint64_t started_ns = 0;                      // 0: the call is not timed
  uint64_t ended_ns = 0;                        // 0: not ended
  const DispatchedCall* dispatched = nullptr;   // nullptr: no rule applied to the call, or it passes through
  const std::string* native_reason = nullptr;   // reason of a binding rule for native; nullptr: no such rule
  ReportLine* line = nullptr;                   // report line of a native call; nullptr: not looked up
};

/// The functions are called on the thread of the call, except ended() of an operation that another thread carries out.
/// The event is valid only during a function, but data that an observer stores in it at begun() is kept for later ones.
class Observer {
 public:
  virtual ~Observer() = default;
  /// The program has called.
  virtual void begun(CallEvent& /*event*/) {}
  /// The operation has ended on this rank, or has begun if the native MPI serves a call that does not block.
  virtual void ended(const CallEvent& /*event*/) {}
  /// The operation of a blocking call that returned early has ended on this rank. Called on the progress thread,
  /// usually after ended() of the call, but possibly at the same time or shortly before it.
  virtual void ended_early_call(const CallEvent& /*event*/) {}
  /// The program has learned of the end. `cost`: the cost of the call to the program.
  virtual void completed(const CallEvent& /*event*/, const select::Sample& /*cost*/) {}
};

/// The times that an observer needs of calls that the native MPI serves.
enum class Times : uint8_t {
  of_every_call,
  of_some,  // only as many as keep the cost of reading the clock small (ReportLine::is_next_timed())
};

/// Observers of every call. Filled before the first call and not changed afterwards; any thread. Without observers, a
/// call costs one predictable branch.
class Observers {
 public:
  void add(Observer& observer, Times times = Times::of_every_call) {
    all_.push_back(&observer);
    time_every_call_ |= times == Times::of_every_call;
  }
  bool is_empty() const { return all_.empty(); }
  bool time_every_call() const { return time_every_call_; }
  void begun(CallEvent& event) const {
    for (Observer* observer : all_) observer->begun(event);
  }
  void ended(const CallEvent& event) const {
    for (Observer* observer : all_) observer->ended(event);
  }
  void ended_early_call(const CallEvent& event) const {
    for (Observer* observer : all_) observer->ended_early_call(event);
  }
  void completed(const CallEvent& event, const select::Sample& cost) const {
    for (Observer* observer : all_) observer->completed(event, cost);
  }

 private:
  std::vector<Observer*> all_;
  bool time_every_call_ = false;
};

}  // namespace tutti::collective
