#include "mpi/lifecycle/recorded_messages.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <span>
#include <string_view>
#include <unordered_map>

#include "base/clock.hpp"
#include "mpi/lifecycle/communicator.hpp"
#include "mpi/lifecycle/runtime.hpp"
#include "mpi_versions.h"

namespace tutti::mpi {

namespace {

using record::MessageCall;

/// nullptr: of another MPI_COMM_WORLD, or not recorded.
const record::Track* track_for_messages(Runtime& runtime, MPI_Comm comm) {
  int is_inter = 0;
  if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS || is_inter != 0)
    return nullptr;
  return track_of(runtime, comm);
}

/// A call that blocks until a message has come or gone. `peer`: MPI_ANY_SOURCE is told by the status.
template <class Native>
int recorded(MessageCall call, int peer, MPI_Comm comm, MPI_Status* status, Native native) {
  Runtime* const runtime = Runtime::get();
  if (runtime == nullptr || peer == MPI_PROC_NULL) return native(status);
  MPI_Status own{};
  own.MPI_SOURCE = MPI_PROC_NULL;
  if (status == MPI_STATUS_IGNORE && peer == MPI_ANY_SOURCE) status = &own;
  const uint64_t arrival_ns = base::monotonic_ns();
  const int result = native(status);
  const uint64_t inside_ns = base::monotonic_ns() - arrival_ns;
  if (result != MPI_SUCCESS) return result;
  const int from = peer == MPI_ANY_SOURCE ? status->MPI_SOURCE : peer;
  runtime->record().message(call, track_for_messages(*runtime, comm), from, arrival_ns, inside_ns);
  return result;
}

/// A call that starts a message.
int started(int result, int peer, MPI_Comm comm, const MPI_Request* request, uint64_t started_ns) {
  Runtime* const runtime = Runtime::get();
  if (runtime == nullptr || result != MPI_SUCCESS || *request == MPI_REQUEST_NULL) return result;
  const record::Track* const track = track_for_messages(*runtime, comm);
  if (track != nullptr)
    runtime->native_requests().add(
        *request, {.message = {.record = &runtime->record(), .track = track, .peer = peer}}, started_ns);
  return result;
}

/// Requests of persistent messages.
class PersistentMessages {
 public:
  int made(int result, int peer, MPI_Comm comm, const MPI_Request* request) {
    Runtime* const runtime = Runtime::get();
    if (runtime == nullptr || result != MPI_SUCCESS) return result;
    const record::Track* const track = track_for_messages(*runtime, comm);
    const std::lock_guard lock(mutex_);
    all_[*request] = {.record = &runtime->record(), .track = track, .peer = peer};
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
      if (const auto found = all_.find(request); found != all_.end() && found->second.track != nullptr) {
        Interest interest{.message = found->second};
        interest.event.interface = select::CallKind::persistent;
        runtime->native_requests().add(request, interest, started_ns);
      }
    return result;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<MPI_Request, PendingMessage> all_;
} persistent_messages;

/// A call that waits for requests of which none is known, such as those that Fortran has made: nobody knows for whom.
template <class Native>
int recorded_wait(int count, const MPI_Request* requests, Native native) {
  Runtime* const runtime = Runtime::get();
  const auto is_known = [&](MPI_Request request) {
    return runtime->native_requests().contains(request) || runtime->requests().contains(request);
  };
  if (runtime == nullptr || requests == nullptr || count <= 0 ||
      std::any_of(requests, requests + count, is_known))
    return native();
  const uint64_t arrival_ns = base::monotonic_ns();
  const int result = native();
  runtime->record().message(MessageCall::wait, track_of(*runtime, MPI_COMM_WORLD), MPI_PROC_NULL, arrival_ns,
                            base::monotonic_ns() - arrival_ns);
  return result;
}

// What comes next.
#define TUTTI_AFTER(name) constinit decltype(&P##name) after_##name = nullptr
TUTTI_AFTER(MPI_Probe);
TUTTI_AFTER(MPI_Mprobe);
TUTTI_AFTER(MPI_Wait);
TUTTI_AFTER(MPI_Waitall);
TUTTI_AFTER(MPI_Start);
TUTTI_AFTER(MPI_Startall);
TUTTI_AFTER(MPI_Request_free);

int recorded_MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  return recorded(MessageCall::probe, source, comm, status,
                  [=](MPI_Status* its) { return after_MPI_Probe(source, tag, comm, its); });
}
int recorded_MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  return recorded(MessageCall::probe, source, comm, status,
                  [=](MPI_Status* its) { return after_MPI_Mprobe(source, tag, comm, message, its); });
}
int recorded_MPI_Wait(MPI_Request* request, MPI_Status* status) {
  return recorded_wait(1, request, [=] { return after_MPI_Wait(request, status); });
}
int recorded_MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  return recorded_wait(count, requests, [=] { return after_MPI_Waitall(count, requests, statuses); });
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
    if (Runtime* const runtime = Runtime::get()) runtime->native_requests().remove(*request);
  }
  return after_MPI_Request_free(request);
}

// Those that have large counts, too.
#define TUTTI_RECORDED_SEND(name, Count)                                                                  \
  TUTTI_AFTER(name);                                                                                      \
  int recorded_##name(const void* data, Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm) { \
    return recorded(MessageCall::send, to, comm, MPI_STATUS_IGNORE,                                       \
                    [=](MPI_Status*) { return after_##name(data, count, type, to, tag, comm); });         \
  }
#define TUTTI_RECORDED_RECEIVE(name, Count)                                                                  \
  TUTTI_AFTER(name);                                                                                         \
  int recorded_##name(void* data, Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm,          \
                      MPI_Status* status) {                                                                  \
    return recorded(MessageCall::receive, from, comm, status,                                                \
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
/// The data that comes is what a rank waits for, where some comes.
#define TUTTI_RECORDED_EXCHANGE(name, Count)                                                                 \
  TUTTI_AFTER(name);                                                                                         \
  int recorded_##name(const void* data, Count count, MPI_Datatype type, int to, int tag, void* result,       \
                      Count most, MPI_Datatype its_type, int from, int its_tag, MPI_Comm comm,               \
                      MPI_Status* status) {                                                                  \
    return recorded(                                                                                         \
        MessageCall::exchange, from == MPI_PROC_NULL ? to : from, comm, status, [=](MPI_Status* its) {       \
          return after_##name(data, count, type, to, tag, result, most, its_type, from, its_tag, comm, its); \
        });                                                                                                  \
  }
#define TUTTI_RECORDED_REPLACEMENT(name, Count)                                                           \
  TUTTI_AFTER(name);                                                                                      \
  int recorded_##name(void* data, Count count, MPI_Datatype type, int to, int tag, int from, int its_tag, \
                      MPI_Comm comm, MPI_Status* status) {                                                \
    return recorded(MessageCall::exchange, from == MPI_PROC_NULL ? to : from, comm, status,               \
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

const Recorded k_recorded[] = {
    TUTTI_ROWS(),
#ifdef MPICH_VERSION
    TUTTI_ROWS(_c),
#endif
    TUTTI_ROW(MPI_Probe), TUTTI_ROW(MPI_Mprobe),   TUTTI_ROW(MPI_Wait),        TUTTI_ROW(MPI_Waitall),
    TUTTI_ROW(MPI_Start), TUTTI_ROW(MPI_Startall), TUTTI_ROW(MPI_Request_free)};

}  // namespace

void* recorded_messages(const char* name, void* next) {
  const auto* const found = std::ranges::find(k_recorded, std::string_view(name), &Recorded::name);
  if (found == std::end(k_recorded)) return next;
  *found->next = next;
  return found->function;
}

}  // namespace tutti::mpi
