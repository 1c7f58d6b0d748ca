// Collectives: blocking, nonblocking and persistent (MPI 4.0, chapter 6).

#include <memory>
#include <utility>
#include <vector>

#include "actors/calls/collective_arguments.hpp"
#include "actors/calls/rank.hpp"
#include "calls.hpp"

namespace tutti::actors {

using algorithm::Collective;

namespace {

/// `fill(call)` returns an error class. Errors in one rank's arguments end the job by default, because the
/// others wait for it.
template <class Fill>
int fill_and_start(CollectiveRequest& call, Fill& fill) {
  const int code = fill(call);
  if (code == MPI_SUCCESS) return call.start();
  if (code == MPI_ERR_TRUNCATE) call.skip_operation();
  return code;
}

template <class Fill>
int blocking(Rank& me, MPI_Comm comm, Collective collective, Fill fill) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  CollectiveRequest call(me, *on, collective);
  if (const int code = fill_and_start(call, fill); code != MPI_SUCCESS) return me.result(on, code);
  if (!call.is_done()) me.wait_until([&call] { return call.is_done(); });
  MPI_Status status;
  return me.result(on, call.finish(&status));
}

template <class Fill>
int nonblocking(Rank& me, MPI_Comm comm, MPI_Request* request, Collective collective, Fill fill) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  auto call = std::make_unique<CollectiveRequest>(me, *on, collective);
  call->outlives_call = true;
  if (const int code = fill_and_start(*call, fill); code != MPI_SUCCESS) return me.result(on, code);
  *request = me.give(std::move(call));
  return MPI_SUCCESS;
}

template <class Fill>
int persistent(Rank& me, MPI_Comm comm, MPI_Request* request, Collective collective, Fill fill) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  auto call = std::make_unique<CollectiveRequest>(me, *on, collective);
  call->outlives_call = true;
  call->make_persistent();
  if (const int code = fill(*call); code != MPI_SUCCESS) return me.result(on, code);
  *request = me.give(std::move(call));
  return MPI_SUCCESS;
}

/// The native datatypes of an array; empty if there is no separate buffer.
std::vector<MPI_Datatype> native(const CollectiveRequest& call, const void* buffer,
                                 const MPI_Datatype* types) {
  std::vector<MPI_Datatype> found;
  if (buffer == MPI_IN_PLACE || types == nullptr) return found;
  for (int r = 0; r < call.size(); ++r) found.push_back(call.owner().native(types[r]));
  return found;
}

}  // namespace

namespace calls {

// NOLINTBEGIN(readability-identifier-naming): names of MPI
int Barrier(Rank& me, MPI_Comm comm) {
  return blocking(me, comm, Collective::barrier, [](auto&) { return MPI_SUCCESS; });
}
int Ibarrier(Rank& me, MPI_Comm comm, MPI_Request* request) {
  return nonblocking(me, comm, request, Collective::barrier, [](auto&) { return MPI_SUCCESS; });
}
int Barrier_init(Rank& me, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return persistent(me, comm, request, Collective::barrier, [](auto&) { return MPI_SUCCESS; });
}

int Bcast(Rank& me, void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return blocking(me, comm, Collective::bcast,
                  [&](auto& call) { return arguments::bcast(call, buffer, count, type, root); });
}
int Ibcast(Rank& me, void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
           MPI_Request* request) {
  return nonblocking(me, comm, request, Collective::bcast,
                     [&](auto& call) { return arguments::bcast(call, buffer, count, type, root); });
}
int Bcast_init(Rank& me, void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info,
               MPI_Request* request) {
  return persistent(me, comm, request, Collective::bcast,
                    [&](auto& call) { return arguments::bcast(call, buffer, count, type, root); });
}

int Reduce(Rank& me, const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, int root,
           MPI_Comm comm) {
  return blocking(me, comm, Collective::reduce, [&](auto& call) {
    return arguments::reduce(call, sendbuf, recvbuf, count, type, op, root);
  });
}
int Ireduce(Rank& me, const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, int root,
            MPI_Comm comm, MPI_Request* request) {
  return nonblocking(me, comm, request, Collective::reduce, [&](auto& call) {
    return arguments::reduce(call, sendbuf, recvbuf, count, type, op, root);
  });
}
int Reduce_init(Rank& me, const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op,
                int root, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return persistent(me, comm, request, Collective::reduce, [&](auto& call) {
    return arguments::reduce(call, sendbuf, recvbuf, count, type, op, root);
  });
}

int Allreduce(Rank& me, const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op,
              MPI_Comm comm) {
  return blocking(me, comm, Collective::allreduce, [&](auto& call) {
    return arguments::reduce_on_all(call, sendbuf, recvbuf, count, type, op);
  });
}
int Iallreduce(Rank& me, const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op,
               MPI_Comm comm, MPI_Request* request) {
  return nonblocking(me, comm, request, Collective::allreduce, [&](auto& call) {
    return arguments::reduce_on_all(call, sendbuf, recvbuf, count, type, op);
  });
}
int Allreduce_init(Rank& me, const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return persistent(me, comm, request, Collective::allreduce, [&](auto& call) {
    return arguments::reduce_on_all(call, sendbuf, recvbuf, count, type, op);
  });
}

int Scan(Rank& me, const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op,
         MPI_Comm comm) {
  return blocking(me, comm, Collective::scan, [&](auto& call) {
    return arguments::reduce_on_all(call, sendbuf, recvbuf, count, type, op);
  });
}
int Iscan(Rank& me, const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op,
          MPI_Comm comm, MPI_Request* request) {
  return nonblocking(me, comm, request, Collective::scan, [&](auto& call) {
    return arguments::reduce_on_all(call, sendbuf, recvbuf, count, type, op);
  });
}
int Scan_init(Rank& me, const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op,
              MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return persistent(me, comm, request, Collective::scan, [&](auto& call) {
    return arguments::reduce_on_all(call, sendbuf, recvbuf, count, type, op);
  });
}

int Exscan(Rank& me, const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op,
           MPI_Comm comm) {
  return blocking(me, comm, Collective::exscan, [&](auto& call) {
    return arguments::reduce_on_all(call, sendbuf, recvbuf, count, type, op);
  });
}
int Iexscan(Rank& me, const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op,
            MPI_Comm comm, MPI_Request* request) {
  return nonblocking(me, comm, request, Collective::exscan, [&](auto& call) {
    return arguments::reduce_on_all(call, sendbuf, recvbuf, count, type, op);
  });
}
int Exscan_init(Rank& me, const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op,
                MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return persistent(me, comm, request, Collective::exscan, [&](auto& call) {
    return arguments::reduce_on_all(call, sendbuf, recvbuf, count, type, op);
  });
}

int Reduce_scatter(Rank& me, const void* sendbuf, void* recvbuf, const int counts[], MPI_Datatype type,
                   MPI_Op op, MPI_Comm comm) {
  return blocking(me, comm, Collective::reduce_scatter, [&](auto& call) {
    return arguments::reduce_scatter(call, sendbuf, recvbuf, counts, type, op);
  });
}
int Ireduce_scatter(Rank& me, const void* sendbuf, void* recvbuf, const int counts[], MPI_Datatype type,
                    MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return nonblocking(me, comm, request, Collective::reduce_scatter, [&](auto& call) {
    return arguments::reduce_scatter(call, sendbuf, recvbuf, counts, type, op);
  });
}
int Reduce_scatter_init(Rank& me, const void* sendbuf, void* recvbuf, const int counts[], MPI_Datatype type,
                        MPI_Op op, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return persistent(me, comm, request, Collective::reduce_scatter, [&](auto& call) {
    return arguments::reduce_scatter(call, sendbuf, recvbuf, counts, type, op);
  });
}

int Reduce_scatter_block(Rank& me, const void* sendbuf, void* recvbuf, int count, MPI_Datatype type,
                         MPI_Op op, MPI_Comm comm) {
  return blocking(me, comm, Collective::reduce_scatter_block, [&](auto& call) {
    return arguments::reduce_scatter_block(call, sendbuf, recvbuf, count, type, op);
  });
}
int Ireduce_scatter_block(Rank& me, const void* sendbuf, void* recvbuf, int count, MPI_Datatype type,
                          MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return nonblocking(me, comm, request, Collective::reduce_scatter_block, [&](auto& call) {
    return arguments::reduce_scatter_block(call, sendbuf, recvbuf, count, type, op);
  });
}
int Reduce_scatter_block_init(Rank& me, const void* sendbuf, void* recvbuf, int count, MPI_Datatype type,
                              MPI_Op op, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return persistent(me, comm, request, Collective::reduce_scatter_block, [&](auto& call) {
    return arguments::reduce_scatter_block(call, sendbuf, recvbuf, count, type, op);
  });
}

int Allgather(Rank& me, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
              int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return blocking(me, comm, Collective::allgather, [&](auto& call) {
    return arguments::allgather(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
  });
}
int Iallgather(Rank& me, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return nonblocking(me, comm, request, Collective::allgather, [&](auto& call) {
    return arguments::allgather(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
  });
}
int Allgather_init(Rank& me, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return persistent(me, comm, request, Collective::allgather, [&](auto& call) {
    return arguments::allgather(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
  });
}

int Allgatherv(Rank& me, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               const int counts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  return blocking(me, comm, Collective::allgatherv, [&](auto& call) {
    return arguments::allgatherv(call, sendbuf, sendcount, sendtype, recvbuf, counts, displs, recvtype);
  });
}
int Iallgatherv(Rank& me, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                const int counts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                MPI_Request* request) {
  return nonblocking(me, comm, request, Collective::allgatherv, [&](auto& call) {
    return arguments::allgatherv(call, sendbuf, sendcount, sendtype, recvbuf, counts, displs, recvtype);
  });
}
int Allgatherv_init(Rank& me, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    const int counts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info,
                    MPI_Request* request) {
  return persistent(me, comm, request, Collective::allgatherv, [&](auto& call) {
    return arguments::allgatherv(call, sendbuf, sendcount, sendtype, recvbuf, counts, displs, recvtype);
  });
}

int Gather(Rank& me, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
           MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return blocking(me, comm, Collective::gather, [&](auto& call) {
    return arguments::gather(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root);
  });
}
int Igather(Rank& me, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
            MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  return nonblocking(me, comm, request, Collective::gather, [&](auto& call) {
    return arguments::gather(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root);
  });
}
int Gather_init(Rank& me, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info,
                MPI_Request* request) {
  return persistent(me, comm, request, Collective::gather, [&](auto& call) {
    return arguments::gather(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root);
  });
}

int Gatherv(Rank& me, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
            const int counts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return blocking(me, comm, Collective::gatherv, [&](auto& call) {
    return arguments::gatherv(call, sendbuf, sendcount, sendtype, recvbuf, counts, displs, recvtype, root);
  });
}
int Igatherv(Rank& me, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
             const int counts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm,
             MPI_Request* request) {
  return nonblocking(me, comm, request, Collective::gatherv, [&](auto& call) {
    return arguments::gatherv(call, sendbuf, sendcount, sendtype, recvbuf, counts, displs, recvtype, root);
  });
}
int Gatherv_init(Rank& me, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 const int counts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm,
                 MPI_Info, MPI_Request* request) {
  return persistent(me, comm, request, Collective::gatherv, [&](auto& call) {
    return arguments::gatherv(call, sendbuf, sendcount, sendtype, recvbuf, counts, displs, recvtype, root);
  });
}

int Scatter(Rank& me, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
            MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return blocking(me, comm, Collective::scatter, [&](auto& call) {
    return arguments::scatter(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root);
  });
}
int Iscatter(Rank& me, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
             int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  return nonblocking(me, comm, request, Collective::scatter, [&](auto& call) {
    return arguments::scatter(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root);
  });
}
int Scatter_init(Rank& me, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info,
                 MPI_Request* request) {
  return persistent(me, comm, request, Collective::scatter, [&](auto& call) {
    return arguments::scatter(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root);
  });
}

int Scatterv(Rank& me, const void* sendbuf, const int counts[], const int displs[], MPI_Datatype sendtype,
             void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return blocking(me, comm, Collective::scatterv, [&](auto& call) {
    return arguments::scatterv(call, sendbuf, counts, displs, sendtype, recvbuf, recvcount, recvtype, root);
  });
}
int Iscatterv(Rank& me, const void* sendbuf, const int counts[], const int displs[], MPI_Datatype sendtype,
              void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
              MPI_Request* request) {
  return nonblocking(me, comm, request, Collective::scatterv, [&](auto& call) {
    return arguments::scatterv(call, sendbuf, counts, displs, sendtype, recvbuf, recvcount, recvtype, root);
  });
}
int Scatterv_init(Rank& me, const void* sendbuf, const int counts[], const int displs[],
                  MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                  MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return persistent(me, comm, request, Collective::scatterv, [&](auto& call) {
    return arguments::scatterv(call, sendbuf, counts, displs, sendtype, recvbuf, recvcount, recvtype, root);
  });
}

int Alltoall(Rank& me, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
             int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return blocking(me, comm, Collective::alltoall, [&](auto& call) {
    return arguments::alltoall(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
  });
}
int Ialltoall(Rank& me, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
              int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return nonblocking(me, comm, request, Collective::alltoall, [&](auto& call) {
    return arguments::alltoall(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
  });
}
int Alltoall_init(Rank& me, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return persistent(me, comm, request, Collective::alltoall, [&](auto& call) {
    return arguments::alltoall(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
  });
}

int Alltoallv(Rank& me, const void* sendbuf, const int sendcounts[], const int sdispls[],
              MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
              MPI_Datatype recvtype, MPI_Comm comm) {
  return blocking(me, comm, Collective::alltoallv, [&](auto& call) {
    return arguments::alltoallv(call, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                recvtype);
  });
}
int Ialltoallv(Rank& me, const void* sendbuf, const int sendcounts[], const int sdispls[],
               MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
               MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return nonblocking(me, comm, request, Collective::alltoallv, [&](auto& call) {
    return arguments::alltoallv(call, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                recvtype);
  });
}
int Alltoallv_init(Rank& me, const void* sendbuf, const int sendcounts[], const int sdispls[],
                   MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                   MPI_Datatype recvtype, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return persistent(me, comm, request, Collective::alltoallv, [&](auto& call) {
    return arguments::alltoallv(call, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                recvtype);
  });
}

int Alltoallw(Rank& me, const void* sendbuf, const int sendcounts[], const int sdispls[],
              const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
              const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return blocking(me, comm, Collective::alltoallw, [&](auto& call) {
    return arguments::alltoallw(call, sendbuf, sendcounts, sdispls, native(call, sendbuf, sendtypes).data(),
                                recvbuf, recvcounts, rdispls, native(call, recvbuf, recvtypes).data());
  });
}
int Ialltoallw(Rank& me, const void* sendbuf, const int sendcounts[], const int sdispls[],
               const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
               const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request) {
  return nonblocking(me, comm, request, Collective::alltoallw, [&](auto& call) {
    return arguments::alltoallw(call, sendbuf, sendcounts, sdispls, native(call, sendbuf, sendtypes).data(),
                                recvbuf, recvcounts, rdispls, native(call, recvbuf, recvtypes).data());
  });
}
int Alltoallw_init(Rank& me, const void* sendbuf, const int sendcounts[], const int sdispls[],
                   const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
                   const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return persistent(me, comm, request, Collective::alltoallw, [&](auto& call) {
    return arguments::alltoallw(call, sendbuf, sendcounts, sdispls, native(call, sendbuf, sendtypes).data(),
                                recvbuf, recvcounts, rdispls, native(call, recvbuf, recvtypes).data());
  });
}

// NOLINTEND(readability-identifier-naming)

}  // namespace calls

}  // namespace tutti::actors
