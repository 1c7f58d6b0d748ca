#pragma once
// Records calls in which this rank waits for others while they last, so that the record shows where a program hangs or
// is killed.

#include <mpi.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "record/recorder.hpp"
#include "record/tests_in_loop.hpp"

namespace tutti::mpi {

class Runtime;
struct PendingMessage;

/// This thread's tests.
inline thread_local constinit record::TestsInLoop tests_in_loop __attribute__((tls_model("initial-exec")));

/// A copy of the name that lives as long as the process. Any thread.
const std::string* kept_name(const char* name);

/// The message or collective for which a wait for the request waits; nullopt: unknown.
std::optional<PendingMessage> awaited_by(Runtime& runtime, MPI_Request request);

/// The open entry of one call in the record; does nothing if the run is not recorded.
class WaitingCall {
 public:
  /// `runtime` may be nullptr. `name`: of the MPI's function.
  WaitingCall(Runtime* runtime, record::MessageCall call, const std::string* name);
  /// Waits for a message of `peer`; negative: of any member.
  WaitingCall(Runtime* runtime, record::MessageCall call, const std::string* name, MPI_Comm comm, int peer);
  /// Waits for the requests.
  WaitingCall(Runtime* runtime, const std::string* name, int count, const MPI_Request* requests);
  ~WaitingCall();
  WaitingCall(const WaitingCall&) = delete;
  WaitingCall& operator=(const WaitingCall&) = delete;

  void open(const record::OperationCounter* counter, int peer);
  uint64_t arrival_ns() const { return arrival_ns_; }

 private:
  static constexpr size_t k_most = 8;  // peers that are recorded

  Runtime* runtime_;
  record::MessageCall call_;
  const std::string* name_;
  uint64_t arrival_ns_ = 0;
  std::array<size_t, k_most> open_{};
  size_t count_ = 0;
};

/// Record of a message call that Tutti carries out instead of the MPI, because it has to drive operations meanwhile.
class DrivenMessage {
 public:
  DrivenMessage(record::MessageCall call, const char* name, MPI_Comm comm, int peer);
  ~DrivenMessage();
  DrivenMessage(const DrivenMessage&) = delete;
  DrivenMessage& operator=(const DrivenMessage&) = delete;

 private:
  Runtime* runtime_;  // nullptr: not recorded
  record::MessageCall call_;
  const std::string* name_;
  MPI_Comm comm_;
  int peer_;
  std::optional<WaitingCall> waiting_;
};

/// Record of a wait for requests, some of which Tutti serves, or during which it drives others.
class DrivenWait {
 public:
  DrivenWait(Runtime& runtime, const char* name, int count, const MPI_Request* requests);

 private:
  std::optional<WaitingCall> waiting_;
};

/// nullptr: the communicator has members of another MPI_COMM_WORLD, or is not recorded.
const record::OperationCounter* counter_for_messages(Runtime& runtime, MPI_Comm comm);

}  // namespace tutti::mpi
