#pragma once
// Observers of the calls of the program: the report, run-time selection, a recorder.

#include <cstdint>
#include <vector>

#include "algorithm/request.hpp"
#include "dispatch/answer.hpp"
#include "record/recorder.hpp"
#include "select/candidate.hpp"
#include "select/measure.hpp"

namespace tutti::dispatch {

struct ReportLine;

/// One call of a collective, as far as it has come. Times are base::monotonic_ns().
struct CallEvent {
  algorithm::Collective collective = algorithm::Collective::barrier;
  select::CallKind interface = select::CallKind::blocking;
  /// select::bytes_of_interest(); not known of what only some ranks know, nor of calls that pass through.
  uint64_t bytes = 0;
  bool bytes_known = false;
  bool passes_through = false;  // on a communicator that Tutti does not serve
  bool is_refused = false;      // by the native MPI, perhaps on this rank alone: it has not taken place
  uint32_t root = record::k_no_root;
  const void* caller = nullptr;    // where the program called from: a return address
  record::Track* track = nullptr;  // numbers the calls of this communicator or request; nullptr: not recorded
  record::CallTicket recorded;     // the recorder's own
  uint64_t started_ns = 0;         // 0: its time is not asked for
  uint64_t ended_ns = 0;           // 0: not yet
  const Answer* answer = nullptr;  // nullptr: no rule wanted the call, or it passes through
  const std::string* native_reason = nullptr;  // why, where a person wants it native
  ReportLine* line = nullptr;                  // of a native call: where it counts; nullptr: to be found
};

/// Called on the thread of the call, but for ended() of an operation that another thread carries out. The
/// event lives as long as the function runs; what an observer leaves in it at begun() is there later.
class Observer {
 public:
  virtual ~Observer() = default;
  /// The program has called.
  virtual void begun(CallEvent& /*event*/) {}
  /// The operation is over on this rank, or, where the native MPI serves a call that does not block, has
  /// begun.
  virtual void ended(const CallEvent& /*event*/) {}
  /// The operation of a blocking call that has returned early is over on this rank, and so is ended(), or nearly.
  /// On the progress thread.
  virtual void ended_early_call(const CallEvent& /*event*/) {}
  /// The program knows of the end. `cost`: what the call has cost it.
  virtual void completed(const CallEvent& /*event*/, const select::Sample& /*cost*/) {}
};

/// What an observer has to know of calls that the native MPI serves.
enum class Times : uint8_t {
  of_every_call,
  of_some,  // so many as keep the cost of reading the clock small (ReportLine::is_next_timed())
};

/// Observers of every call. Filled before the first call and not changed after that; any thread.
/// While there are none, a call costs one predictable branch more.
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

}  // namespace tutti::dispatch
