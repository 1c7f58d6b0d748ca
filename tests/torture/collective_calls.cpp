// The MPI calls of a collective operation, in three interfaces and with counts of two widths.
#include <utility>

#include "calls.hpp"
#include "collective.hpp"
#include "preload/c/persistent.h"

namespace torture {

namespace {

// Values that no MPI takes for a handle or an address that may be looked at.
MPI_Datatype rubbish_type() {
#ifdef MPICH
  return static_cast<MPI_Datatype>(0x5a5a5a5a);
#else
  return reinterpret_cast<MPI_Datatype>(uintptr_t{0x5a50});
#endif
}

void* rubbish_address() {
  return reinterpret_cast<void*>(uintptr_t{0x1230});
}

}  // namespace

void CollectiveCall::spoil(Side& side) {
  side.address = private_.percent(50) ? nullptr : rubbish_address();
  side.count = -7;
  side.type = private_.percent(50) ? MPI_DATATYPE_NULL : rubbish_type();
  side.counts.clear();
  side.large_counts.clear();
  side.displacements.clear();
  side.large_displacements.clear();
  side.types.clear();
}

/// Spoils the arguments that are not significant on this rank. The vectors are empty then, and their addresses null.
void CollectiveCall::spoil_what_is_insignificant() {
  switch (op_.collective) {
    case Collective::gather:
    case Collective::gatherv:
      if (me_ != root_) spoil(receive_);
      if (in_place_) spoil(send_);
      break;
    case Collective::scatter:
    case Collective::scatterv:
      if (me_ != root_) spoil(send_);
      if (in_place_) {
        receive_.expected.clear();
        spoil(receive_);
        receive_.address = MPI_IN_PLACE;
      }
      return;
    case Collective::reduce:
      if (me_ != root_) spoil(receive_);
      break;
    case Collective::exscan:
#ifndef MPICH  // which refuses it
      if (me_ == 0 && !in_place_ && private_.percent(50)) receive_.address = nullptr;
#endif
      break;
    case Collective::allgather:
    case Collective::allgatherv:
    case Collective::alltoall:
    case Collective::alltoallv:
    case Collective::alltoallw:
      if (in_place_) spoil(send_);
      break;
    default:
      break;
  }
  if (in_place_) send_.address = MPI_IN_PLACE;
#ifdef MPICH  // Open MPI refuses it
  if (op_.collective == Collective::alltoallw)
    for (Side* side : {&send_, &receive_})
      for (size_t i = 0; i < side->types.size(); ++i)
        if (side->counts[i] == 0 && private_.percent(30)) side->types[i] = MPI_DATATYPE_NULL;
#endif
}

void CollectiveCall::drop_handles() {
  for (Side* side : {&send_, &receive_})
    for (Layout& layout : side->layouts) layout.drop();
  if (mpi_op_ != MPI_OP_NULL && is_of_program(operator_)) CALL(MPI_Op_free(&mpi_op_));
}

int CollectiveCall::call(MPI_Comm comm, MPI_Request* request) {
  return with_large_counts_ ? call_with_large_counts(comm, request) : call_plainly(comm, request);
}

#define INVOKE(Name, name, suffix, ...)                                         \
  (op_.interface == Interface::blocking ? MPI_##Name##suffix(__VA_ARGS__, comm) \
   : op_.interface == Interface::nonblocking                                    \
       ? MPI_I##name##suffix(__VA_ARGS__, comm, request)                        \
       : MPI_##Name##_init##suffix(__VA_ARGS__, comm, MPI_INFO_NULL, request))

#define ALL_COLLECTIVES(suffix)                                                                             \
  switch (op_.collective) {                                                                                 \
    case Collective::barrier:                                                                               \
      return op_.interface == Interface::blocking      ? MPI_Barrier(comm)                                  \
             : op_.interface == Interface::nonblocking ? MPI_Ibarrier(comm, request)                        \
                                                       : MPI_Barrier_init(comm, MPI_INFO_NULL, request);    \
    case Collective::bcast:                                                                                 \
      return INVOKE(Bcast, bcast, suffix, r.address, number(r.count), r.type, root_);                       \
    case Collective::reduce:                                                                                \
      return INVOKE(Reduce, reduce, suffix, s.address, r.address, number(elements), type, mpi_op_, root_);  \
    case Collective::allreduce:                                                                             \
      return INVOKE(Allreduce, allreduce, suffix, s.address, r.address, number(elements), type, mpi_op_);   \
    case Collective::reduce_scatter:                                                                        \
      return INVOKE(Reduce_scatter, reduce_scatter, suffix, s.address, r.address, r.counts.data(), type,    \
                    mpi_op_);                                                                               \
    case Collective::reduce_scatter_block:                                                                  \
      return INVOKE(Reduce_scatter_block, reduce_scatter_block, suffix, s.address, r.address,               \
                    number(elements), type, mpi_op_);                                                       \
    case Collective::allgather:                                                                             \
      return INVOKE(Allgather, allgather, suffix, s.address, number(s.count), s.type, r.address,            \
                    number(r.count), r.type);                                                               \
    case Collective::allgatherv:                                                                            \
      return INVOKE(Allgatherv, allgatherv, suffix, s.address, number(s.count), s.type, r.address,          \
                    r.counts.data(), r.displacements.data(), r.type);                                       \
    case Collective::alltoall:                                                                              \
      return INVOKE(Alltoall, alltoall, suffix, s.address, number(s.count), s.type, r.address,              \
                    number(r.count), r.type);                                                               \
    case Collective::alltoallv:                                                                             \
      return INVOKE(Alltoallv, alltoallv, suffix, s.address, s.counts.data(), s.displacements.data(),       \
                    s.type, r.address, r.counts.data(), r.displacements.data(), r.type);                    \
    case Collective::alltoallw:                                                                             \
      return INVOKE(Alltoallw, alltoallw, suffix, s.address, s.counts.data(), s.displacements.data(),       \
                    s.types.data(), r.address, r.counts.data(), r.displacements.data(), r.types.data());    \
    case Collective::gather:                                                                                \
      return INVOKE(Gather, gather, suffix, s.address, number(s.count), s.type, r.address, number(r.count), \
                    r.type, root_);                                                                         \
    case Collective::gatherv:                                                                               \
      return INVOKE(Gatherv, gatherv, suffix, s.address, number(s.count), s.type, r.address,                \
                    r.counts.data(), r.displacements.data(), r.type, root_);                                \
    case Collective::scatter:                                                                               \
      return INVOKE(Scatter, scatter, suffix, s.address, number(s.count), s.type, r.address,                \
                    number(r.count), r.type, root_);                                                        \
    case Collective::scatterv:                                                                              \
      return INVOKE(Scatterv, scatterv, suffix, s.address, s.counts.data(), s.displacements.data(), s.type, \
                    r.address, number(r.count), r.type, root_);                                             \
    case Collective::scan:                                                                                  \
      return INVOKE(Scan, scan, suffix, s.address, r.address, number(elements), type, mpi_op_);             \
    case Collective::exscan:                                                                                \
      return INVOKE(Exscan, exscan, suffix, s.address, r.address, number(elements), type, mpi_op_);         \
  }                                                                                                         \
  return MPI_ERR_OTHER

int CollectiveCall::call_plainly(MPI_Comm comm, MPI_Request* request) {
  const Side &s = send_, &r = receive_;
  const auto number = [](MPI_Count count) { return static_cast<int>(count); };
  const MPI_Count elements = parts_[0];
  const MPI_Datatype type = s.layouts.empty() ? MPI_DATATYPE_NULL : s.layouts.front().type();
  ALL_COLLECTIVES();
}

#if defined MPICH && !defined TORTURE_COVERED
int CollectiveCall::call_with_large_counts(MPI_Comm comm, MPI_Request* request) {
  // The same names, for arrays of the other width.
  struct Wide {
    void* address;
    MPI_Count count;
    MPI_Datatype type;
    const std::vector<MPI_Count>& counts;
    const std::vector<MPI_Aint>& displacements;
    const std::vector<MPI_Datatype>& types;
  };
  const auto wide = [](const Side& side) {
    return Wide{side.address, side.count, side.type, side.large_counts, side.large_displacements, side.types};
  };
  const Wide s = wide(send_), r = wide(receive_);
  const auto number = [](MPI_Count count) { return count; };
  const MPI_Count elements = parts_[0];
  const MPI_Datatype type = send_.layouts.empty() ? MPI_DATATYPE_NULL : send_.layouts.front().type();
#define MPI_Barrier_init_c MPI_Barrier_init
  ALL_COLLECTIVES(_c);
}
#else
int CollectiveCall::call_with_large_counts(MPI_Comm comm, MPI_Request* request) {
  return call_plainly(comm, request);
}
#endif

}  // namespace torture
