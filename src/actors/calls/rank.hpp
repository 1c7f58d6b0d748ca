#pragma once
// The MPI state of one rank of the program that is a thread of this process.

#include <mpi.h>
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/calls/attributes.hpp"
#include "actors/calls/communicator.hpp"
#include "actors/calls/dispatch_services.hpp"
#include "actors/calls/handles.hpp"
#include "actors/calls/request.hpp"
#include "actors/calls/user_operator.hpp"
#include "actors/messages/mailbox.hpp"

namespace tutti::actors {

class ContainerServices;

/// Used by its own thread only, except for the mailbox.
class Rank {
 public:
  Rank(ContainerServices& container, int world_rank);
  ~Rank();
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  ContainerServices& container() const { return container_; }
  int world_rank() const { return world_rank_; }
  Mailbox& mailbox() { return mailbox_; }

  // ---- handles ----
  Handles& handles() { return handles_; }
  template <class Handle>
  Handle native(Handle handle) const {
    return handles_.native(handle);
  }
  template <class Handle>
  Handle programs(Handle handle) const {
    return handles_.programs(handle);
  }
  OwnHandles<MPI_Comm, Communicator>& communicators() { return communicators_; }
  OwnHandles<MPI_Request, Request>& requests() { return requests_; }
  OwnHandles<MPI_Op, UserOperator>& operators() { return operators_; }
  OwnHandles<MPI_Errhandler, ErrorHandler>& error_handlers() { return error_handlers_; }
  OwnHandles<MPI_Message, MatchedMessage>& messages() { return messages_; }

  /// nullptr: MPI_COMM_NULL, or not a communicator.
  Communicator* find(MPI_Comm handle) const;
  /// For a call that creates a communicator: finds the original and sets *newcomm to MPI_COMM_NULL. nullptr:
  /// the call returns `*code`.
  Communicator* find_original(MPI_Comm comm, MPI_Comm* newcomm, int* code);
  Communicator& world() const { return *world_; }
  Communicator& self() const { return *self_; }
  /// Creates a communicator of these ranks.
  std::unique_ptr<Communicator> make(uint64_t context, std::vector<int> ranks);
  MPI_Comm give(std::unique_ptr<Communicator> communicator);
  /// Decrements the use count of a handler; deletes it at zero.
  void release(ErrorHandler* handler);
  /// nullptr: MPI_REQUEST_NULL.
  Request* find_request(MPI_Request handle) const {
    return handle == MPI_REQUEST_NULL ? nullptr : requests_.find(handle);
  }
  MPI_Request give(std::unique_ptr<Request> request);
  void drop(Request* request);
  /// A request that the program has freed continues until it is done.
  void orphan(std::unique_ptr<Request> request);

  Attributes& keyvals() { return keyvals_; }
  /// See note_type_attribute().
  std::set<std::pair<MPI_Datatype, int>>& type_attributes() { return type_attributes_; }
  /// Reserves contexts for `count` communicators, unique in the job. Returns the number of the first
  /// (context_of()).
  uint64_t reserve_contexts(int count) {
    const uint64_t first = next_context_;
    next_context_ += static_cast<uint64_t>(count);
    return first;
  }

  // ---- errors ----
  /// The return value of a call: errors go to the communicator's handler, by default that of MPI_COMM_WORLD.
  int result(const Communicator* communicator, int code);
  /// The same for a call that the native MPI has served.
  int checked(int code) { return code == MPI_SUCCESS ? code : result(nullptr, code); }

  // ---- progress ----
  /// Advances this rank's pending collectives, also while it waits for anything else.
  void progress();
  /// Detaches sends, so that collectives do not delay this rank for late receivers: paper 000 §3.1, where the
  /// leader registers the message and continues. Returns the result that Mailbox::wait_until() expects of
  /// `avoid`.
  uint64_t detach_sends(uint64_t waited_ns);
  template <class Condition>
  void wait_until(Condition condition) {
    const auto has_ended = [&] {
      progress();
      return condition();
    };
    mailbox_.wait_until(has_ended, [this](uint64_t waited_ns) { return detach_sends(waited_ns); });
  }
  std::vector<Request*>& active_collectives() { return active_collectives_; }

  // ---- life ----
  enum class State : uint8_t { before, initialised, finalised };
  State state() const { return state_; }
  void initialise(int thread_level);
  /// Call after all ranks have reached MPI_Finalize.
  void finalise() { state_ = State::finalised; }
  /// True while requests are pending that the program has freed.
  bool has_orphans() const { return !orphans_.empty(); }
  int thread_level() const { return thread_level_; }
  DispatchServices& services() { return services_; }
  /// The program's return address of its latest call of a collective: in the program, or in the MPI's library for
  /// Fortran or C++. Written by the stub.
  const void*& caller() { return caller_; }
  /// The program's first thread. Set before the program starts.
  void set_first_thread(pthread_t thread) { first_thread_ = thread; }
  pthread_t first_thread() const { return first_thread_; }

  /// The buffer of MPI_Buffer_attach.
  struct Buffer {
    void* address = nullptr;
    int64_t bytes = 0, used_bytes = 0;
  };
  Buffer& buffer() { return buffer_; }

 private:
  ContainerServices& container_;
  const int world_rank_;
  DispatchServices services_;  // outlives the communicators
  Mailbox mailbox_;
  Handles handles_;
  OwnHandles<MPI_Comm, Communicator> communicators_;
  OwnHandles<MPI_Request, Request> requests_;
  OwnHandles<MPI_Op, UserOperator> operators_;
  OwnHandles<MPI_Errhandler, ErrorHandler> error_handlers_;
  OwnHandles<MPI_Message, MatchedMessage> messages_;
  std::unique_ptr<Communicator> world_, self_;
  Attributes keyvals_;
  std::set<std::pair<MPI_Datatype, int>> type_attributes_;
  std::vector<std::unique_ptr<Request>> orphans_;
  std::vector<Request*> active_collectives_;
  uint64_t next_context_ = 1;
  std::atomic<State> state_ = State::before;
  pthread_t first_thread_{};
  int thread_level_ = MPI_THREAD_SINGLE;
  Buffer buffer_;
  const void* caller_ = nullptr;
};

}  // namespace tutti::actors
