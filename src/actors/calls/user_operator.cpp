#include "actors/calls/user_operator.hpp"

#include <algorithm>
#include <climits>

namespace tutti::actors {

namespace {

/// Splits into pieces whose counts fit in an int.
template <class Piece>
void in_pieces(uint64_t count, uint64_t element_bytes, Piece piece) {
  for (uint64_t at = 0; at < count;) {
    const uint64_t now = std::min<uint64_t>(count - at, INT_MAX);
    piece(at * element_bytes, static_cast<int>(now));
    at += now;
  }
}

}  // namespace

bool is_predefined(MPI_Op op) {
  const MPI_Op all[] = {MPI_SUM, MPI_MAX,  MPI_MIN,  MPI_PROD,   MPI_LAND,   MPI_BAND,    MPI_LOR,
                        MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE, MPI_NO_OP};
  return std::ranges::find(all, op) != std::end(all);
}

#ifdef MPICH_VERSION

OperatorFunction::OperatorFunction(const UserOperator& op, MPI_Datatype, MPI_Datatype programs_type)
    : function_(op.function), cxx_(op.cxx), type_(programs_type) {}

void OperatorFunction::operator()(void* in, void* inout, int count) const {
  MPI_Datatype type = type_;
  if (cxx_ != nullptr)
    cxx_(in, inout, count, type, reinterpret_cast<void (*)()>(function_));
  else
    function_(in, inout, &count, &type);
}

#else

OperatorFunction::OperatorFunction(const UserOperator& op, MPI_Datatype type, MPI_Datatype programs_type)
    : function_(op.function),
      cxx_(op.cxx),
      type_(programs_type),
      fortran_type_(op.is_fortran() ? PMPI_Type_c2f(type) : 0) {}

void OperatorFunction::operator()(void* in, void* inout, int count) const {
  MPI_Datatype type = type_;
  MPI_Fint fortran_type = fortran_type_;
  if (fortran_type != 0)
    function_as<void(void*, void*, MPI_Fint*, MPI_Fint*)>(function_)(in, inout, &count, &fortran_type);
  else if (cxx_ != nullptr)
    function_as<void(void*, void*, int*, MPI_Datatype*, MPI_User_function*)>(function_)(in, inout, &count,
                                                                                        &type, cxx_);
  else
    function_(in, inout, &count, &type);
}

#endif

void ProgramReducer::apply(const std::byte* source, std::byte* target, uint64_t bytes) const {
  in_pieces(bytes / element_bytes_, element_bytes_, [&](uint64_t at, int count) {
    function_(const_cast<std::byte*>(source + at) - lower_bound_, target + at - lower_bound_, count);
  });
}

void NativeReducer::apply(const std::byte* source, std::byte* target, uint64_t bytes) const {
  in_pieces(bytes / element_bytes_, element_bytes_,
            [&](uint64_t at, int count) { PMPI_Reduce_local(source + at, target + at, count, type_, op_); });
}

void BoundOperator::bind_own(const UserOperator& op, const mpi::Type& type, MPI_Datatype programs_type) {
  reducer_.emplace<ProgramReducer>(OperatorFunction(op, type.handle, programs_type), op.is_commutative,
                                   static_cast<uint64_t>(type.extent), type.is_predefined ? 0 : type.true_lb);
}

int BoundOperator::bind_predefined(MPI_Op op, const mpi::Type& type) {
  // The first two belong to one-sided communication.
  if (op == MPI_REPLACE || op == MPI_NO_OP || !type.is_predefined) return MPI_ERR_OP;
  int nothing[16] = {};
  if (PMPI_Reduce_local(nothing, nothing + 8, 0, type.handle, op) != MPI_SUCCESS) return MPI_ERR_OP;
  mpi::MpiReducer with_loop;
  if (with_loop.bind(op, type))
    reducer_ = with_loop;
  else
    reducer_.emplace<NativeReducer>(op, type.handle, static_cast<uint64_t>(type.extent));
  return MPI_SUCCESS;
}

}  // namespace tutti::actors
