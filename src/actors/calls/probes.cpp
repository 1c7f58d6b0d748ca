// Probes, and receives of matched messages (MPI 4.0, §3.8).

#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "actors/calls/point_to_point.hpp"
#include "actors/calls/rank.hpp"
#include "actors/calls/recorded_wait.hpp"
#include "calls.hpp"

namespace tutti::actors::calls {

namespace {

/// Calls `look`, which returns the source of a message, until there is one, or once. `is_matched`: for a matched probe.
template <class Look>
void look_for(Rank& me, Communicator& on, int source, bool waits, bool is_matched, int* flag, Look look) {
  static const std::string probe = "MPI_Probe", matched_probe = "MPI_Mprobe", test = "MPI_Iprobe",
                           matched_test = "MPI_Improbe";
  if (waits) {
    RecordedWait waiting(me, record::MessageCall::probe, is_matched ? matched_probe : probe);
    waiting.begin(on, source);
    me.progress();
    std::optional<int> found;
    me.wait_until([&] { return (found = look()).has_value(); });
    waiting.end(on, *found);
    return;
  }
  RecordedTest tested(me, is_matched ? matched_test : test);
  me.progress();
  *flag = look().has_value() ? 1 : 0;
  if (*flag != 0) return tested.succeeded();
  tested.failed(on, source);
  std::this_thread::yield();  // the sender may need this core
}

int probe(Rank& me, int source, int tag, MPI_Comm comm, bool waits, int* flag, MPI_Status* status) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  if (const int code = check_source(*on, source, tag); code != MPI_SUCCESS) return me.result(on, code);
  *flag = 1;
  if (source == MPI_PROC_NULL) {
    set_no_process(status);
    return MPI_SUCCESS;
  }
  std::optional<Delivery> found;
  const Pattern pattern = pattern_of(*on, source, tag);
  look_for(me, *on, source, waits, false, flag, [&] {
    found = me.mailbox().probe(pattern);
    return found ? std::optional(found->envelope.source) : std::nullopt;
  });
  if (found) describe(*found, status);
  return MPI_SUCCESS;
}

int take(Rank& me, int source, int tag, MPI_Comm comm, bool waits, int* flag, MPI_Message* message,
         MPI_Status* status) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  if (const int code = check_source(*on, source, tag); code != MPI_SUCCESS) return me.result(on, code);
  *flag = 1;
  if (source == MPI_PROC_NULL) {
    *message = MPI_MESSAGE_NO_PROC;
    set_no_process(status);
    return MPI_SUCCESS;
  }
  std::unique_ptr<TakenMessage> found;
  const Pattern pattern = pattern_of(*on, source, tag);
  look_for(me, *on, source, waits, true, flag, [&] {
    found = me.mailbox().take(pattern);
    return found ? std::optional(found->delivery().envelope.source) : std::nullopt;
  });
  *message = MPI_MESSAGE_NULL;
  if (found == nullptr) return MPI_SUCCESS;
  describe(found->delivery(), status);
  *message = me.messages().add(new MatchedMessage(*on, std::move(found)));  // until its receive
  return MPI_SUCCESS;
}

/// Starts a receive of `*message` and returns its request; nullptr: *code is the error.
std::unique_ptr<ReceiveRequest> receive(Rank& me, void* buf, int count, MPI_Datatype type,
                                        MPI_Message* message, bool is_kept, int* code) {
  MatchedMessage* const taken = *message == MPI_MESSAGE_NO_PROC || *message == MPI_MESSAGE_NULL
                                    ? nullptr
                                    : me.messages().find(*message);
  if (*message == MPI_MESSAGE_NULL) {
    *code = me.result(nullptr, MPI_ERR_REQUEST);
    return nullptr;
  }
  Communicator& on = taken == nullptr ? me.world() : taken->communicator;
  auto request = std::make_unique<ReceiveRequest>(me, on);
  *code = request->bind({buf, count, type, MPI_ANY_SOURCE, MPI_ANY_TAG}, is_kept);
  if (*code != MPI_SUCCESS) {
    *code = me.result(&on, *code);
    return nullptr;
  }
  request->start(taken == nullptr ? nullptr : std::move(taken->taken));
  if (taken != nullptr) {
    me.messages().remove(taken);
    delete taken;
  }
  *message = MPI_MESSAGE_NULL;
  return request;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): names of MPI
int Probe(Rank& me, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  int flag = 0;
  return probe(me, source, tag, comm, true, &flag, status);
}
int Iprobe(Rank& me, int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  return probe(me, source, tag, comm, false, flag, status);
}
int Mprobe(Rank& me, int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  int flag = 0;
  return take(me, source, tag, comm, true, &flag, message, status);
}
int Improbe(Rank& me, int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
            MPI_Status* status) {
  return take(me, source, tag, comm, false, flag, message, status);
}

int Mrecv(Rank& me, void* buf, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  int code = MPI_SUCCESS;
  const auto request = receive(me, buf, count, type, message, false, &code);
  if (request == nullptr) return code;
  static const std::string name = "MPI_Mrecv";
  RecordedWait waiting(me, record::MessageCall::receive, name);
  waiting.begin(*request);
  me.wait_until([&request] { return request->is_done(); });
  waiting.end(*request);
  return me.result(request->communicator(), request->finish(status));
}
int Imrecv(Rank& me, void* buf, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  int code = MPI_SUCCESS;
  auto started = receive(me, buf, count, type, message, true, &code);
  if (started != nullptr) *request = me.give(std::move(started));
  return code;
}
// NOLINTEND(readability-identifier-naming)

}  // namespace tutti::actors::calls
