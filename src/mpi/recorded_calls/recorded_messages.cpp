#include "mpi/recorded_calls/recorded_messages.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.hpp"
#include "mpi/communicator/communicator.hpp"
#include "mpi/recorded_calls/other_calls.hpp"
#include "mpi/recorded_calls/waiting_call.hpp"
#include "mpi/runtime/runtime.hpp"
#include "mpi_versions.h"

namespace tutti::mpi {

namespace {

using record::MessageCall;
using record::TestsInLoop;

/// Records a call that blocks until a message has been sent or received. `peer`: MPI_ANY_SOURCE is resolved by the
/// status.
template <class Native>
int recorded(MessageCall call, const std::string* name, int peer, MPI_Comm comm, MPI_Status* status,
             Native native) {
  Runtime* const runtime = Runtime::get();
  if (runtime == nullptr || peer == MPI_PROC_NULL) return native(status);
  MPI_Status own{};
  own.MPI_SOURCE = MPI_PROC_NULL;
  if (status == MPI_STATUS_IGNORE && peer == MPI_ANY_SOURCE) status = &own;
  const WaitingCall waiting(runtime, call, name, comm, peer);
  const int result = native(status);
  const uint64_t inside_ns = base::monotonic_ns() - waiting.arrival_ns();
  if (result != MPI_SUCCESS) return result;
  const int from = peer == MPI_ANY_SOURCE ? status->MPI_SOURCE : peer;
  runtime->record().message(call, counter_for_messages(*runtime, comm), from, waiting.arrival_ns(), inside_ns,
                            name);
  return result;
}

/// Records a call that starts a message.
int started(int result, int peer, MPI_Comm comm, const MPI_Request* request, uint64_t started_ns) {
  Runtime* const runtime = Runtime::get();
  if (runtime == nullptr || result != MPI_SUCCESS || *request == MPI_REQUEST_NULL) return result;
  const record::OperationCounter* const counter = counter_for_messages(*runtime, comm);
  if (counter != nullptr)
    runtime->requests().native.add(
        *request, {.message = {.record = &runtime->record(), .counter = counter, .peer = peer}}, started_ns);
  return result;
}

/// Requests of persistent messages.
class PersistentMessages {
 public:
  int made(int result, int peer, MPI_Comm comm, const MPI_Request* request) {
    Runtime* const runtime = Runtime::get();
    if (runtime == nullptr || result != MPI_SUCCESS) return result;
    const record::OperationCounter* const counter = counter_for_messages(*runtime, comm);
    const std::lock_guard lock(mutex_);
    all_[*request] = {.record = &runtime->record(), .counter = counter, .peer = peer};
    return result;
  }
  void freed(MPI_Request request) {
    const std::lock_guard lock(mutex_);
    all_.erase(request);
  }
  int started(int result, std::span<const MPI_Request> requests, uint64_t started_ns) {
    Runtime* const runtime = Runtime::get();
    if (runtime == nullptr || result != MPI_SUCCESS) return result;
    const std::lock_guard lock(mutex_);
    for (const MPI_Request request : requests)
      if (const auto found = all_.find(request); found != all_.end() && found->second.counter != nullptr) {
        CompletionObserver observer{.message = found->second};
        observer.event.interface = select::CallInterface::persistent;
        runtime->requests().native.add(request, observer, started_ns);
      }
    return result;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<MPI_Request, PendingMessage> all_;
} persistent_messages;

/// Records a call that waits for requests if none of them is known (for example, if Fortran calls created them): the
/// awaited rank is then unknown. Otherwise NativeRequests records it.
template <class Native>
int recorded_wait(const std::string* name, int count, const MPI_Request* requests, Native native) {
  Runtime* const runtime = Runtime::get();
  if (runtime == nullptr || requests == nullptr || count <= 0) return native();
  const auto is_known = [&](MPI_Request request) {
    return runtime->requests().native.contains(request) || runtime->requests().pending.contains(request);
  };
  const bool are_known = std::any_of(requests, requests + count, is_known);
  const WaitingCall waiting(runtime, name, count, requests);
  const int result = native();
  if (!are_known)
    runtime->record().message(MessageCall::wait, counter_of(*runtime, MPI_COMM_WORLD), MPI_PROC_NULL,
                              waiting.arrival_ns(), base::monotonic_ns() - waiting.arrival_ns(), name);
  return result;
}

/// Records a call that tests for an event. `awaited` adds the awaited ranks to TestsInLoop if the test fails.
template <class Native, class IsThere, class AddAwaited>
int recorded_test(const std::string* name, Native native, IsThere is_there, AddAwaited awaited) {
  Runtime* const runtime = Runtime::get();
  record::RankRecord* const record = runtime == nullptr ? nullptr : runtime->record().rank_record();
  if (record == nullptr) return native();
  const uint64_t began_ns = base::monotonic_ns();
  tests_in_loop.begin(*record, began_ns);
  const int result = native();
  const uint64_t now_ns = base::monotonic_ns();
  if (result == MPI_SUCCESS && !is_there())
    tests_in_loop.failed(*record, name, began_ns, now_ns,
                         [&](TestsInLoop& tests) { awaited(*runtime, tests); });
  else
    tests_in_loop.end(*record, now_ns);
  return result;
}

/// Adds the awaited ranks of the requests. Unknown requests may wait for any rank.
void tell_awaited(Runtime& runtime, int count, const MPI_Request* requests, TestsInLoop& tests) {
  for (int i = 0; i < count; ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    if (const auto known = awaited_by(runtime, requests[i]))
      tests.add(known->counter, known->peer);
    else
      tests.add(counter_of(runtime, MPI_COMM_WORLD), MPI_PROC_NULL);
  }
}

/// Messages that have been matched but not yet received.
class MatchedMessages {
 public:
  void matched(int result, MPI_Message message, int peer, MPI_Comm comm) {
    Runtime* const runtime = Runtime::get();
    if (runtime == nullptr || result != MPI_SUCCESS || message == MPI_MESSAGE_NULL ||
        message == MPI_MESSAGE_NO_PROC)
      return;
    const record::OperationCounter* const counter = counter_for_messages(*runtime, comm);
    const std::lock_guard lock(mutex_);
    all_[message] = {.record = &runtime->record(), .counter = counter, .peer = peer};
  }
  /// A result without a counter: the message is unknown.
  PendingMessage taken(const MPI_Message* message) {
    const std::lock_guard lock(mutex_);
    const auto found = message == nullptr ? all_.end() : all_.find(*message);
    if (found == all_.end()) return {};
    const PendingMessage of = found->second;
    all_.erase(found);
    return of;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<MPI_Message, PendingMessage> all_;
} matched_messages;

template <class Native>
int recorded_matched(const std::string* name, const MPI_Message* message, Native native) {
  Runtime* const runtime = Runtime::get();
  const PendingMessage of = runtime == nullptr ? PendingMessage{} : matched_messages.taken(message);
  if (of.counter == nullptr) return native();
  WaitingCall waiting(runtime, MessageCall::receive, name);
  waiting.open(of.counter, of.peer);
  const int result = native();
  runtime->record().message(MessageCall::receive, of.counter, of.peer, waiting.arrival_ns(),
                            base::monotonic_ns() - waiting.arrival_ns(), name);
  return result;
}

// Pointers to the wrapped functions.
#define TUTTI_AFTER(name) constinit decltype(&P##name) after_##name = nullptr
TUTTI_AFTER(MPI_Probe);
TUTTI_AFTER(MPI_Mprobe);
TUTTI_AFTER(MPI_Wait);
TUTTI_AFTER(MPI_Waitall);
TUTTI_AFTER(MPI_Waitany);
TUTTI_AFTER(MPI_Waitsome);
TUTTI_AFTER(MPI_Test);
TUTTI_AFTER(MPI_Testall);
TUTTI_AFTER(MPI_Testany);
TUTTI_AFTER(MPI_Testsome);
TUTTI_AFTER(MPI_Request_get_status);
TUTTI_AFTER(MPI_Iprobe);
TUTTI_AFTER(MPI_Improbe);
TUTTI_AFTER(MPI_Mrecv);
TUTTI_AFTER(MPI_Imrecv);
TUTTI_AFTER(MPI_Start);
TUTTI_AFTER(MPI_Startall);
TUTTI_AFTER(MPI_Request_free);

int recorded_MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  static const std::string* const name = kept_name("MPI_Probe");
  return recorded(MessageCall::probe, name, source, comm, status,
                  [=](MPI_Status* its) { return after_MPI_Probe(source, tag, comm, its); });
}
int recorded_MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  static const std::string* const name = kept_name("MPI_Mprobe");
  return recorded(MessageCall::probe, name, source, comm, status, [=](MPI_Status* its) {
    MPI_Status own{};
    if (its == MPI_STATUS_IGNORE) its = &own;
    const int result = after_MPI_Mprobe(source, tag, comm, message, its);
    if (result == MPI_SUCCESS) matched_messages.matched(result, *message, its->MPI_SOURCE, comm);
    return result;
  });
}
int recorded_MPI_Iprobe(int source, int tag, MPI_Comm comm, int* is_there, MPI_Status* status) {
  static const std::string* const name = kept_name("MPI_Iprobe");
  return recorded_test(
      name, [=] { return after_MPI_Iprobe(source, tag, comm, is_there, status); },
      [=] { return *is_there != 0; },
      [=](Runtime& runtime, TestsInLoop& tests) { tests.add(counter_for_messages(runtime, comm), source); });
}
int recorded_MPI_Improbe(int source, int tag, MPI_Comm comm, int* is_there, MPI_Message* message,
                         MPI_Status* status) {
  static const std::string* const name = kept_name("MPI_Improbe");
  MPI_Status own{};
  MPI_Status* const its = status == MPI_STATUS_IGNORE ? &own : status;
  const int result = recorded_test(
      name, [=] { return after_MPI_Improbe(source, tag, comm, is_there, message, its); },
      [=] { return *is_there != 0; },
      [=](Runtime& runtime, TestsInLoop& tests) { tests.add(counter_for_messages(runtime, comm), source); });
  if (result == MPI_SUCCESS && *is_there != 0)
    matched_messages.matched(result, *message, its->MPI_SOURCE, comm);
  return result;
}
int recorded_MPI_Mrecv(void* data, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  static const std::string* const name = kept_name("MPI_Mrecv");
  return recorded_matched(name, message, [=] { return after_MPI_Mrecv(data, count, type, message, status); });
}
int recorded_MPI_Imrecv(void* data, int count, MPI_Datatype type, MPI_Message* message,
                        MPI_Request* request) {
  const PendingMessage of = matched_messages.taken(message);
  const uint64_t now_ns = base::monotonic_ns();
  const int result = after_MPI_Imrecv(data, count, type, message, request);
  Runtime* const runtime = Runtime::get();
  if (runtime != nullptr && result == MPI_SUCCESS && *request != MPI_REQUEST_NULL && of.counter != nullptr)
    runtime->requests().native.add(*request, {.message = of}, now_ns);
  return result;
}
int recorded_MPI_Wait(MPI_Request* request, MPI_Status* status) {
  static const std::string* const name = kept_name("MPI_Wait");
  return recorded_wait(name, 1, request, [=] { return after_MPI_Wait(request, status); });
}
int recorded_MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  static const std::string* const name = kept_name("MPI_Waitall");
  return recorded_wait(name, count, requests, [=] { return after_MPI_Waitall(count, requests, statuses); });
}
int recorded_MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  static const std::string* const name = kept_name("MPI_Waitany");
  return recorded_wait(name, count, requests,
                       [=] { return after_MPI_Waitany(count, requests, index, status); });
}
int recorded_MPI_Waitsome(int count, MPI_Request requests[], int* done_count, int indices[],
                          MPI_Status statuses[]) {
  static const std::string* const name = kept_name("MPI_Waitsome");
  return recorded_wait(name, count, requests,
                       [=] { return after_MPI_Waitsome(count, requests, done_count, indices, statuses); });
}
int recorded_MPI_Test(MPI_Request* request, int* is_done, MPI_Status* status) {
  static const std::string* const name = kept_name("MPI_Test");
  return recorded_test(
      name, [=] { return after_MPI_Test(request, is_done, status); }, [=] { return *is_done != 0; },
      [=](Runtime& runtime, TestsInLoop& tests) { tell_awaited(runtime, 1, request, tests); });
}
int recorded_MPI_Testall(int count, MPI_Request requests[], int* are_done, MPI_Status statuses[]) {
  static const std::string* const name = kept_name("MPI_Testall");
  return recorded_test(
      name, [=] { return after_MPI_Testall(count, requests, are_done, statuses); },
      [=] { return *are_done != 0; },
      [=](Runtime& runtime, TestsInLoop& tests) { tell_awaited(runtime, count, requests, tests); });
}
int recorded_MPI_Testany(int count, MPI_Request requests[], int* index, int* is_done, MPI_Status* status) {
  static const std::string* const name = kept_name("MPI_Testany");
  return recorded_test(
      name, [=] { return after_MPI_Testany(count, requests, index, is_done, status); },
      [=] { return *is_done != 0; },
      [=](Runtime& runtime, TestsInLoop& tests) { tell_awaited(runtime, count, requests, tests); });
}
int recorded_MPI_Testsome(int count, MPI_Request requests[], int* done_count, int indices[],
                          MPI_Status statuses[]) {
  static const std::string* const name = kept_name("MPI_Testsome");
  return recorded_test(
      name, [=] { return after_MPI_Testsome(count, requests, done_count, indices, statuses); },
      [=] { return *done_count != 0; },  // MPI_UNDEFINED: there is nothing to wait for
      [=](Runtime& runtime, TestsInLoop& tests) { tell_awaited(runtime, count, requests, tests); });
}
int recorded_MPI_Request_get_status(MPI_Request request, int* is_done, MPI_Status* status) {
  static const std::string* const name = kept_name("MPI_Request_get_status");
  return recorded_test(
      name, [=] { return after_MPI_Request_get_status(request, is_done, status); },
      [=] { return *is_done != 0; },
      [=](Runtime& runtime, TestsInLoop& tests) { tell_awaited(runtime, 1, &request, tests); });
}
int recorded_MPI_Start(MPI_Request* request) {
  const uint64_t now_ns = base::monotonic_ns();
  return persistent_messages.started(after_MPI_Start(request), {request, 1}, now_ns);
}
int recorded_MPI_Startall(int count, MPI_Request requests[]) {
  const uint64_t now_ns = base::monotonic_ns();
  const int result = after_MPI_Startall(count, requests);
  return persistent_messages.started(result, {requests, static_cast<size_t>(std::max(count, 0))}, now_ns);
}
int recorded_MPI_Request_free(MPI_Request* request) {
  if (request != nullptr) {
    persistent_messages.freed(*request);
    if (Runtime* const runtime = Runtime::get()) runtime->requests().native.remove(*request);
  }
  return after_MPI_Request_free(request);
}

// Functions that have large-count variants.
#define TUTTI_RECORDED_SEND(name, Count)                                                                  \
  TUTTI_AFTER(name);                                                                                      \
  int recorded_##name(const void* data, Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm) { \
    static const std::string* const name_of_call = kept_name(#name);                                      \
    return recorded(MessageCall::send, name_of_call, to, comm, MPI_STATUS_IGNORE,                         \
                    [=](MPI_Status*) { return after_##name(data, count, type, to, tag, comm); });         \
  }
#define TUTTI_RECORDED_RECEIVE(name, Count)                                                                  \
  TUTTI_AFTER(name);                                                                                         \
  int recorded_##name(void* data, Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm,          \
                      MPI_Status* status) {                                                                  \
    static const std::string* const name_of_call = kept_name(#name);                                         \
    return recorded(MessageCall::receive, name_of_call, from, comm, status,                                  \
                    [=](MPI_Status* its) { return after_##name(data, count, type, from, tag, comm, its); }); \
  }
#define TUTTI_RECORDED_START(name, Data, Count)                                                             \
  TUTTI_AFTER(name);                                                                                        \
  int recorded_##name(Data data, Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,          \
                      MPI_Request* request) {                                                               \
    const uint64_t now_ns = base::monotonic_ns();                                                           \
    return started(after_##name(data, count, type, peer, tag, comm, request), peer, comm, request, now_ns); \
  }
#define TUTTI_RECORDED_INIT(name, Data, Count)                                                             \
  TUTTI_AFTER(name);                                                                                       \
  int recorded_##name(Data data, Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,         \
                      MPI_Request* request) {                                                              \
    return persistent_messages.made(after_##name(data, count, type, peer, tag, comm, request), peer, comm, \
                                    request);                                                              \
  }
/// The awaited rank is the source, unless nothing is received.
#define TUTTI_RECORDED_EXCHANGE(name, Count)                                                                 \
  TUTTI_AFTER(name);                                                                                         \
  int recorded_##name(const void* data, Count count, MPI_Datatype type, int to, int tag, void* result,       \
                      Count most, MPI_Datatype its_type, int from, int its_tag, MPI_Comm comm,               \
                      MPI_Status* status) {                                                                  \
    static const std::string* const name_of_call = kept_name(#name);                                         \
    return recorded(MessageCall::exchange, name_of_call, from == MPI_PROC_NULL ? to : from, comm, status,    \
                    [=](MPI_Status* its) {                                                                   \
                      return after_##name(data, count, type, to, tag, result, most, its_type, from, its_tag, \
                                          comm, its);                                                        \
                    });                                                                                      \
  }
#define TUTTI_RECORDED_REPLACEMENT(name, Count)                                                           \
  TUTTI_AFTER(name);                                                                                      \
  int recorded_##name(void* data, Count count, MPI_Datatype type, int to, int tag, int from, int its_tag, \
                      MPI_Comm comm, MPI_Status* status) {                                                \
    static const std::string* const name_of_call = kept_name(#name);                                      \
    return recorded(MessageCall::exchange, name_of_call, from == MPI_PROC_NULL ? to : from, comm, status, \
                    [=](MPI_Status* its) {                                                                \
                      return after_##name(data, count, type, to, tag, from, its_tag, comm, its);          \
                    });                                                                                   \
  }
#define TUTTI_RECORDED_MESSAGES(suffix, Count)                    \
  TUTTI_RECORDED_SEND(MPI_Send##suffix, Count)                    \
  TUTTI_RECORDED_SEND(MPI_Ssend##suffix, Count)                   \
  TUTTI_RECORDED_SEND(MPI_Rsend##suffix, Count)                   \
  TUTTI_RECORDED_RECEIVE(MPI_Recv##suffix, Count)                 \
  TUTTI_RECORDED_EXCHANGE(MPI_Sendrecv##suffix, Count)            \
  TUTTI_RECORDED_REPLACEMENT(MPI_Sendrecv_replace##suffix, Count) \
  TUTTI_RECORDED_START(MPI_Isend##suffix, const void*, Count)     \
  TUTTI_RECORDED_START(MPI_Issend##suffix, const void*, Count)    \
  TUTTI_RECORDED_START(MPI_Irsend##suffix, const void*, Count)    \
  TUTTI_RECORDED_START(MPI_Irecv##suffix, void*, Count)           \
  TUTTI_RECORDED_INIT(MPI_Send_init##suffix, const void*, Count)  \
  TUTTI_RECORDED_INIT(MPI_Ssend_init##suffix, const void*, Count) \
  TUTTI_RECORDED_INIT(MPI_Rsend_init##suffix, const void*, Count) \
  TUTTI_RECORDED_INIT(MPI_Recv_init##suffix, void*, Count)

TUTTI_RECORDED_MESSAGES(, int)
#ifdef MPICH_VERSION
TUTTI_RECORDED_MESSAGES(_c, MPI_Count)
#endif

struct Recorded {
  std::string_view name;
  void* function;
  void** next;
};

#define TUTTI_ROW(name) \
  { #name, reinterpret_cast < void*>(recorded_##name), reinterpret_cast < void**>(&after_##name) }
#define TUTTI_ROWS(suffix)                                                                                   \
  TUTTI_ROW(MPI_Send##suffix), TUTTI_ROW(MPI_Ssend##suffix), TUTTI_ROW(MPI_Rsend##suffix),                   \
      TUTTI_ROW(MPI_Recv##suffix), TUTTI_ROW(MPI_Sendrecv##suffix), TUTTI_ROW(MPI_Sendrecv_replace##suffix), \
      TUTTI_ROW(MPI_Isend##suffix), TUTTI_ROW(MPI_Issend##suffix), TUTTI_ROW(MPI_Irsend##suffix),            \
      TUTTI_ROW(MPI_Irecv##suffix), TUTTI_ROW(MPI_Send_init##suffix), TUTTI_ROW(MPI_Ssend_init##suffix),     \
      TUTTI_ROW(MPI_Rsend_init##suffix), TUTTI_ROW(MPI_Recv_init##suffix)

const Recorded k_recorded[] = {TUTTI_ROWS(),
#ifdef MPICH_VERSION
                               TUTTI_ROWS(_c),
#endif
                               TUTTI_ROW(MPI_Probe),
                               TUTTI_ROW(MPI_Mprobe),
                               TUTTI_ROW(MPI_Wait),
                               TUTTI_ROW(MPI_Waitall),
                               TUTTI_ROW(MPI_Start),
                               TUTTI_ROW(MPI_Startall),
                               TUTTI_ROW(MPI_Request_free),
                               TUTTI_ROW(MPI_Waitany),
                               TUTTI_ROW(MPI_Waitsome),
                               TUTTI_ROW(MPI_Test),
                               TUTTI_ROW(MPI_Testall),
                               TUTTI_ROW(MPI_Testany),
                               TUTTI_ROW(MPI_Testsome),
                               TUTTI_ROW(MPI_Request_get_status),
                               TUTTI_ROW(MPI_Iprobe),
                               TUTTI_ROW(MPI_Improbe),
                               TUTTI_ROW(MPI_Mrecv),
                               TUTTI_ROW(MPI_Imrecv)};

}  // namespace

void* recorded_messages(const char* name, void* next) {
  const auto* const found = std::ranges::find(k_recorded, std::string_view(name), &Recorded::name);
  if (found == std::end(k_recorded)) return recorded_other_call(name, next);
  *found->next = next;
  return found->function;
}

}  // namespace tutti::mpi
