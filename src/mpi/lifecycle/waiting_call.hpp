#pragma once
// A call in which this rank waits for others, while it lasts: where the program hangs or is killed, the record of the
// run says where.

#include <mpi.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "record/recorder.hpp"

namespace tutti::mpi {

class Runtime;
struct PendingMessage;

/// Stays for the life of the process; any thread.
const std::string* kept_name(const char* name);

/// For whom a wait for the request is; nullopt: not known.
std::optional<PendingMessage> awaited_by(Runtime& runtime, MPI_Request request);

/// Nothing where the run is not recorded.
class WaitingCall {
 public:
  /// `runtime` may be nullptr. `name`: of the MPI's function.
  WaitingCall(Runtime* runtime, record::MessageCall call, const std::string* name);
  /// For a message of `peer`, or for any member.
  WaitingCall(Runtime* runtime, record::MessageCall call, const std::string* name, MPI_Comm comm, int peer);
  /// For the requests.
  WaitingCall(Runtime* runtime, const std::string* name, int count, const MPI_Request* requests);
  ~WaitingCall();
  WaitingCall(const WaitingCall&) = delete;
  WaitingCall& operator=(const WaitingCall&) = delete;

  void open(const record::Track* track, int peer);
  uint64_t arrival_ns() const { return arrival_ns_; }

 private:
  static constexpr size_t k_most = 8;  // peers that are told of

  Runtime* runtime_;
  record::MessageCall call_;
  const std::string* name_;
  uint64_t arrival_ns_ = 0;
  std::array<size_t, k_most> open_{};
  size_t count_ = 0;
};

/// A call for a message that Tutti carries out in the MPI's place, because there is more to be driven meanwhile.
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

/// A wait for requests of which Tutti serves some or drives others meanwhile.
class DrivenWait {
 public:
  DrivenWait(Runtime& runtime, const char* name, int count, const MPI_Request* requests);

 private:
  std::optional<WaitingCall> waiting_;
};

/// nullptr: of another MPI_COMM_WORLD, or not recorded.
const record::Track* track_for_messages(Runtime& runtime, MPI_Comm comm);

}  // namespace tutti::mpi
