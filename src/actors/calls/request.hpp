#pragma once
// What a program waits for: messages and collectives, once or again and again.

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "actors/calls/foreign_fields.hpp"
#include "actors/calls/let_go.hpp"
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

  ForeignFields foreign;  // first
  int number = 0;

  Communicator* communicator() const { return communicator_; }
  bool is_persistent = false;
  bool is_active = true;

  /// Of persistent ones: begins once more. What MPI_Start returns.
  virtual int start() { return MPI_ERR_REQUEST; }
  /// While active. Cheap.
  virtual bool is_done() const = 0;
  /// Makes progress, where nobody else makes it. True: something has moved, here or in another request.
  virtual bool progress() { return false; }
  /// Ends sends that wait for late receives.
  virtual void let_go_of_sends(LetGo* /*so_far*/) {}
  /// Once done: brings what has come to the program. `status` is not null. Its error, as in MPI_ERROR.
  virtual int finish(MPI_Status* status) = 0;
  virtual void cancel() {}

 protected:
  Rank& owner_;

 private:
  Communicator* communicator_;
};

/// Of MPI_Mprobe. Belongs to its rank, and keeps the communicator.
struct Message {
  Message(Communicator& on, std::unique_ptr<TakenMessage> message);
  ~Message();
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  ForeignFields foreign;  // first
  int number = 0;
  Communicator& communicator;
  std::unique_ptr<TakenMessage> taken;
};

/// The empty status (MPI 4.0, §3.7.3).
void set_empty(MPI_Status* status);
void set_no_process(MPI_Status* status);

}  // namespace tutti::actors
