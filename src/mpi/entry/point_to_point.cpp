#include "mpi/entry/point_to_point.hpp"

#include <vector>

#include "mpi/entry/pending_data.hpp"
#include "mpi/native/next_mpi.hpp"
#include "mpi/recorded_calls/waiting_call.hpp"
#include "mpi/runtime/runtime.hpp"

namespace tutti::mpi {

ProgressEngine* engine_in_need() {
  Runtime* const runtime = Runtime::get();
  return runtime != nullptr && runtime->progress().must_drive() ? &runtime->progress() : nullptr;
}

int complete(ProgressEngine& progress, MPI_Request* request, MPI_Status* status) {
  int result = MPI_SUCCESS;
  progress.drive_until([&] {
    int is_done = 0;
    result = PMPI_Test(request, &is_done, status);
    return result != MPI_SUCCESS || is_done != 0;
  });
  return result;
}

namespace {

/// MPI_Sendrecv as two persistent requests: their creation checks the arguments and sends nothing, so that neither is
/// active if the other is refused.
class Exchange {
 public:
  ~Exchange() {
    for (MPI_Request* request : {&receive, &send})
      if (*request != MPI_REQUEST_NULL) PMPI_Request_free(request);
  }

  /// `made`: the result of creating the requests.
  int complete(ProgressEngine& progress, int made, MPI_Status* status) {
    if (made == MPI_SUCCESS) made = PMPI_Start(&receive);
    if (made != MPI_SUCCESS) return made;
    const int started = PMPI_Start(&send);
    const int received = tutti::mpi::complete(progress, &receive, status);
    const int sent =
        started == MPI_SUCCESS ? tutti::mpi::complete(progress, &send, MPI_STATUS_IGNORE) : started;
    return received != MPI_SUCCESS ? received : sent;
  }

  MPI_Request receive = MPI_REQUEST_NULL, send = MPI_REQUEST_NULL;
};

/// Packs the program's data before it is replaced.
int pack_natively(const void* buffer, int count, MPI_Datatype type, MPI_Comm comm,
                  std::vector<char>* packed) {
  int size = 0;
  if (const int result = PMPI_Pack_size(count, type, comm, &size); result != MPI_SUCCESS) return result;
  packed->resize(static_cast<size_t>(size));
  int used = 0;
  const int result = PMPI_Pack(buffer, count, type, packed->data(), size, &used, comm);
  packed->resize(static_cast<size_t>(used));
  return result;
}

}  // namespace

}  // namespace tutti::mpi

using tutti::mpi::DrivenMessage;
using tutti::mpi::engine_in_need;
using tutti::mpi::Exchange;
using tutti::mpi::ProgressEngine;
using tutti::record::MessageCall;

namespace {

TUTTI_NEXT_MPI(MPI_Probe);
TUTTI_NEXT_MPI(MPI_Mprobe);
TUTTI_NEXT_MPI(MPI_Iprobe);
TUTTI_NEXT_MPI(MPI_Improbe);
TUTTI_NEXT_MPI(MPI_Sendrecv);
TUTTI_NEXT_MPI(MPI_Sendrecv_replace);

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  tutti::mpi::await_objects(status);
  ProgressEngine* const progress = engine_in_need();
  if (progress == nullptr) return next_MPI_Probe(source, tag, comm, status);
  const DrivenMessage driven(MessageCall::probe, "MPI_Probe", comm, source);
  int result = MPI_SUCCESS;
  progress->drive_until([&] {
    int is_there = 0;
    result = PMPI_Iprobe(source, tag, comm, &is_there, status);
    return result != MPI_SUCCESS || is_there != 0;
  });
  return result;
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  tutti::mpi::await_objects(message, status);
  ProgressEngine* const progress = engine_in_need();
  if (progress == nullptr) return next_MPI_Mprobe(source, tag, comm, message, status);
  const DrivenMessage driven(MessageCall::probe, "MPI_Mprobe", comm, source);
  int result = MPI_SUCCESS;
  progress->drive_until([&] {
    int is_there = 0;
    result = PMPI_Improbe(source, tag, comm, &is_there, message, status);
    return result != MPI_SUCCESS || is_there != 0;
  });
  return result;
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* is_there, MPI_Status* status) {
  tutti::mpi::await_objects(is_there, status);
  if (ProgressEngine* const progress = engine_in_need()) progress->drive();
  return next_MPI_Iprobe(source, tag, comm, is_there, status);
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int* is_there, MPI_Message* message, MPI_Status* status) {
  tutti::mpi::await_objects(is_there, message, status);
  if (ProgressEngine* const progress = engine_in_need()) progress->drive();
  return next_MPI_Improbe(source, tag, comm, is_there, message, status);
}

int MPI_Sendrecv(const void* send_buffer, int send_count, MPI_Datatype send_type, int to, int send_tag,
                 void* receive_buffer, int receive_count, MPI_Datatype receive_type, int from,
                 int receive_tag, MPI_Comm comm, MPI_Status* status) {
  tutti::mpi::settle_early_calls({send_buffer, receive_buffer});
  ProgressEngine* const progress = engine_in_need();
  if (progress == nullptr)
    return next_MPI_Sendrecv(send_buffer, send_count, send_type, to, send_tag, receive_buffer, receive_count,
                             receive_type, from, receive_tag, comm, status);
  const DrivenMessage driven(MessageCall::exchange, "MPI_Sendrecv", comm, from == MPI_PROC_NULL ? to : from);
  Exchange both;
  int made =
      PMPI_Recv_init(receive_buffer, receive_count, receive_type, from, receive_tag, comm, &both.receive);
  if (made == MPI_SUCCESS)
    made = PMPI_Send_init(send_buffer, send_count, send_type, to, send_tag, comm, &both.send);
  return both.complete(*progress, made, status);
}

int MPI_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int to, int send_tag, int from,
                         int receive_tag, MPI_Comm comm, MPI_Status* status) {
  tutti::mpi::settle_early_calls({buffer});
  ProgressEngine* const progress = engine_in_need();
  std::vector<char> packed;
  if (progress == nullptr || to == MPI_PROC_NULL || from == MPI_PROC_NULL ||
      tutti::mpi::pack_natively(buffer, count, type, comm, &packed) != MPI_SUCCESS)
    return next_MPI_Sendrecv_replace(buffer, count, type, to, send_tag, from, receive_tag, comm, status);
  const DrivenMessage driven(MessageCall::exchange, "MPI_Sendrecv_replace", comm,
                             from == MPI_PROC_NULL ? to : from);
  Exchange both;
  int made = PMPI_Recv_init(buffer, count, type, from, receive_tag, comm, &both.receive);
  if (made == MPI_SUCCESS)
    made = PMPI_Send_init(packed.data(), static_cast<int>(packed.size()), MPI_PACKED, to, send_tag, comm,
                          &both.send);
  return both.complete(*progress, made, status);
}

}  // extern "C"
#pragma GCC visibility pop
