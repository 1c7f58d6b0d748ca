#pragma once
// The requests of a program: messages and collectives, also persistent ones.

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "actors/calls/detached_sends.hpp"
#include "actors/calls/foreign_fields.hpp"
#include "actors/messages/mailbox.hpp"

namespace tutti::actors {

class Communicator;
class Rank;

/// Belongs to its rank.
class Request {
 public:
  Request(Rank& owner, Communicator* communicator);
  virtual ~Request();
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  ForeignFields foreign;  // must be the first member
  int number = 0;

  Communicator* communicator() const { return communicator_; }
  bool is_persistent = false;
  bool is_active = true;

  /// Starts a persistent request again. Returns the result of MPI_Start.
  virtual int start() { return MPI_ERR_REQUEST; }
  /// Called while active. Must be cheap.
  virtual bool is_done() const = 0;
  /// Makes progress if no other thread does. True if something moved, in this or another request.
  virtual bool progress() { return false; }
  /// Detaches sends that wait for late receivers.
  virtual void detach_sends(DetachedSends* /*so_far*/) {}
  /// Called once done: stores received data in the program's buffers. `status` is not null. Returns the error
  /// for MPI_ERROR.
  virtual int finish(MPI_Status* status) = 0;
  /// finish(), which is called once for each start: the program may change the data after MPI_Request_get_status.
  int finish_once(MPI_Status* status);
  /// The request is active again.
  void activate() {
    is_active = true;
    is_finished_ = false;
  }
  virtual void cancel() {}
  /// The ranks of the communicator for whose messages it waits, or has waited if it is done; MPI_ANY_SOURCE: not known
  /// yet.
  virtual std::vector<int> awaited_peers() const { return {}; }
  /// The program has learned of the end of a nonblocking operation, in a call that it entered at `awaited_ns`.
  virtual void completed(uint64_t /*awaited_ns*/) {}

 protected:
  Rank& owner_;

 private:
  Communicator* communicator_;
  bool is_finished_ = false;
  int code_ = MPI_SUCCESS;  // of finish()
  MPI_Status status_ = {};
};

/// A message matched by MPI_Mprobe. Belongs to its rank, and holds the communicator.
struct MatchedMessage {
  MatchedMessage(Communicator& on, std::unique_ptr<TakenMessage> message);
  ~MatchedMessage();
  MatchedMessage(const MatchedMessage&) = delete;
  MatchedMessage& operator=(const MatchedMessage&) = delete;

  ForeignFields foreign;  // must be the first member
  int number = 0;
  Communicator& communicator;
  std::unique_ptr<TakenMessage> taken;
};

/// The empty status (MPI 4.0, §3.7.3).
void set_empty(MPI_Status* status);
void set_no_process(MPI_Status* status);

}  // namespace tutti::actors
