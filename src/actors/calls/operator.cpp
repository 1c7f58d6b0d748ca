#include "actors/calls/operator.hpp"

#include <algorithm>
#include <climits>

#include "actors/calls/rank.hpp"
#include "calls.hpp"
#include "mpi/data/datatype.hpp"

namespace tutti::actors {

namespace {

/// In pieces that an int can count.
template <class Piece>
void in_pieces(uint64_t count, uint64_t element_bytes, Piece piece) {
  for (uint64_t at = 0; at < count;) {
    const uint64_t now = std::min<uint64_t>(count - at, INT_MAX);
    piece(at * element_bytes, static_cast<int>(now));
    at += now;
  }
}

}  // namespace

#ifdef MPICH_VERSION

OperatorFunction::OperatorFunction(const Rank& me, const Operator& op, MPI_Datatype type)
    : function_(op.function), cxx_(op.cxx), type_(me.programs(type)) {}

void OperatorFunction::operator()(void* in, void* inout, int count) const {
  MPI_Datatype type = type_;
  if (cxx_ != nullptr)
    cxx_(in, inout, count, type, reinterpret_cast<void (*)()>(function_));
  else
    function_(in, inout, &count, &type);
}

#else

OperatorFunction::OperatorFunction(const Rank& me, const Operator& op, MPI_Datatype type)
    : function_(op.function),
      cxx_(op.cxx),
      type_(me.programs(type)),
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

namespace calls {

namespace {

bool is_predefined(MPI_Op op) {
  const MPI_Op all[] = {MPI_SUM, MPI_MAX,  MPI_MIN,  MPI_PROD,   MPI_LAND,   MPI_BAND,    MPI_LOR,
                        MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE, MPI_NO_OP};
  return std::ranges::find(all, op) != std::end(all);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): names of MPI
int Op_create(Rank& me, MPI_User_function* function, int commute, MPI_Op* op) {
  auto* const made = new Operator;
  made->function = function;
  made->is_commutative = commute != 0;
  *op = me.operators().add(made);
  return MPI_SUCCESS;
}

int Op_free(Rank& me, MPI_Op* op) {
  if (*op == MPI_OP_NULL || is_predefined(*op)) return me.result(nullptr, MPI_ERR_OP);
  Operator* const own = me.operators().find_own(*op);
  if (own == nullptr) return me.result(nullptr, MPI_ERR_OP);
  me.operators().remove(own);
  delete own;  // operations under way have what they need of it
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}

int Op_commutative(Rank& me, MPI_Op op, int* commute) {
  if (op == MPI_OP_NULL) return me.result(nullptr, MPI_ERR_OP);
  if (is_predefined(op)) return me.checked(PMPI_Op_commutative(op, commute));
  const Operator* const own = me.operators().find_own(op);
  if (own == nullptr) return me.result(nullptr, MPI_ERR_OP);
  *commute = own->is_commutative ? 1 : 0;
  return MPI_SUCCESS;
}

int Reduce_local(Rank& me, const void* inbuf, void* inoutbuf, int count, MPI_Datatype type, MPI_Op op) {
  if (op == MPI_OP_NULL) return me.result(nullptr, MPI_ERR_OP);
  if (is_predefined(op)) return me.checked(PMPI_Reduce_local(inbuf, inoutbuf, count, type, op));
  const Operator* const own = me.operators().find_own(op);
  if (own == nullptr) return me.result(nullptr, MPI_ERR_OP);
  if (count < 0) return me.result(nullptr, MPI_ERR_COUNT);
  if (count > 0) OperatorFunction(me, *own, type)(const_cast<void*>(inbuf), inoutbuf, count);
  return MPI_SUCCESS;
}
// NOLINTEND(readability-identifier-naming)

}  // namespace calls

}  // namespace tutti::actors
