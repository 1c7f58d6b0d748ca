// Point-to-point messages of a process.
#include <algorithm>
#include <utility>

#include "calls.hpp"
#include "process.hpp"

namespace torture {

/// The side that comes first must not wait for the other one.
void Process::message(const Op& op, bool sends, bool receives, bool is_whole) {
  const MPI_Comm comm = communicator(op);
  const MessageSpec spec(op, op.object < 0 ? op.id : std::min(op.id, op.object), size_of(op));
  const int me = rank_in(op);
  if (sends && me == spec.source) send(op, spec, comm, is_whole && spec.source != spec.target);
  if (receives && me == spec.target) receive(op, spec, comm);
}

void Process::send(const Op& op, const MessageSpec& spec, MPI_Comm comm, bool is_whole) {
  Random random(mix(private_seed(op), 21));
  const auto message = std::make_shared<Message>(spec, false, random);
  MPI_Request request = MPI_REQUEST_NULL;
  const bool may_wait = is_whole || (op.object >= 0 && op.object < op.id);
  const int kind = may_wait ? random.below(10) : random.between(4, 9);
  const int count = message->count();
  const MPI_Datatype type = message->type();
  void* data = message->data();
  if (kind < 3) {
    CALL(MPI_Send(data, count, type, spec.target, spec.tag, comm));
  } else if (kind < 4) {
    CALL(MPI_Ssend(data, count, type, spec.target, spec.tag, comm));
  } else if (kind < 8) {
    CALL(MPI_Isend(data, count, type, spec.target, spec.tag, comm, &request));
    if (kind == 7) {
      CALL(MPI_Request_free(&request));
      given_up_.push_back(message);
    }
  } else if (kind < 9) {
    CALL(MPI_Issend(data, count, type, spec.target, spec.tag, comm, &request));
  } else {
    CALL(MPI_Send_init(data, count, type, spec.target, spec.tag, comm, &request));
    CALL(MPI_Start(&request));
  }
  if (random.percent(50)) message->drop_type();
  if (request != MPI_REQUEST_NULL) await_message(message, request, op, false);
}

void Process::receive(const Op& op, const MessageSpec& spec, MPI_Comm comm) {
  Random random(mix(private_seed(op), 22));
  const auto message = std::make_shared<Message>(spec, true, random);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status{};
  const bool may_wait = op.object < op.id;
  const bool any_tag = plan_.communicators()[static_cast<size_t>(op.communicator)].any_tag;
  const int source = !any_tag && random.percent(30) ? MPI_ANY_SOURCE : spec.source;
  const int tag = any_tag ? MPI_ANY_TAG : spec.tag;
  const int kind = may_wait ? random.below(10) : random.between(6, 9);
  const int count = message->count();
  const MPI_Datatype type = message->type();
  void* data = message->data();
  if (kind < 3) {
    CALL(MPI_Recv(data, count, type, source, tag, comm, &status));
  } else if (kind < 4) {
    CALL(MPI_Probe(source, tag, comm, &status));
    CALL(MPI_Recv(data, count, type, status.MPI_SOURCE, status.MPI_TAG, comm, &status));
  } else if (kind < 5) {
    MPI_Message matched;
    CALL(MPI_Mprobe(source, tag, comm, &matched, &status));
    CALL(MPI_Mrecv(data, count, type, &matched, &status));
  } else if (kind < 6) {
    for (int is_there = 0; is_there == 0;) CALL(MPI_Iprobe(source, tag, comm, &is_there, &status));
    CALL(MPI_Irecv(data, count, type, status.MPI_SOURCE, status.MPI_TAG, comm, &request));
  } else if (kind < 9) {
    CALL(MPI_Irecv(data, count, type, source, tag, comm, &request));
  } else {
    CALL(MPI_Recv_init(data, count, type, source, tag, comm, &request));
    CALL(MPI_Start(&request));
  }
  if (random.percent(50)) message->drop_type();
  if (request != MPI_REQUEST_NULL) return await_message(message, request, op, true);
  note(message->check(status));
}

void Process::await_message(const std::shared_ptr<Message>& message, MPI_Request request, const Op& op,
                            bool receives) {
  const auto end = [this, message, receives](MPI_Request left, const MPI_Status& status) {
    if (left != MPI_REQUEST_NULL) CALL(MPI_Request_free(&left));
    note(receives ? message->check(status) : message->check_sent());
  };
  pending_.add({.request = request, .operation = op.id, .ready = op.ready, .end = end});
}

}  // namespace torture
