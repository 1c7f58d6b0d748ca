// Operators that programs create (MPI 4.0, §6.9.5).

#include "actors/calls/rank.hpp"
#include "calls.hpp"

namespace tutti::actors {

namespace calls {

// NOLINTBEGIN(readability-identifier-naming): names of MPI
int Op_create(Rank& me, MPI_User_function* function, int commute, MPI_Op* op) {
  auto* const made = new UserOperator;
  made->function = function;
  made->is_commutative = commute != 0;
  *op = me.operators().add(made);
  return MPI_SUCCESS;
}

int Op_free(Rank& me, MPI_Op* op) {
  if (*op == MPI_OP_NULL || is_predefined(*op)) return me.result(nullptr, MPI_ERR_OP);
  UserOperator* const own = me.operators().find_own(*op);
  if (own == nullptr) return me.result(nullptr, MPI_ERR_OP);
  me.operators().remove(own);
  delete own;  // pending operations have copies of its members
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}

int Op_commutative(Rank& me, MPI_Op op, int* commute) {
  if (op == MPI_OP_NULL) return me.result(nullptr, MPI_ERR_OP);
  if (is_predefined(op)) return me.checked(PMPI_Op_commutative(op, commute));
  const UserOperator* const own = me.operators().find_own(op);
  if (own == nullptr) return me.result(nullptr, MPI_ERR_OP);
  *commute = own->is_commutative ? 1 : 0;
  return MPI_SUCCESS;
}

int Reduce_local(Rank& me, const void* inbuf, void* inoutbuf, int count, MPI_Datatype type, MPI_Op op) {
  if (op == MPI_OP_NULL) return me.result(nullptr, MPI_ERR_OP);
  if (is_predefined(op)) return me.checked(PMPI_Reduce_local(inbuf, inoutbuf, count, type, op));
  const UserOperator* const own = me.operators().find_own(op);
  if (own == nullptr) return me.result(nullptr, MPI_ERR_OP);
  if (count < 0) return me.result(nullptr, MPI_ERR_COUNT);
  if (count > 0) OperatorFunction(*own, type, me.programs(type))(const_cast<void*>(inbuf), inoutbuf, count);
  return MPI_SUCCESS;
}
// NOLINTEND(readability-identifier-naming)

}  // namespace calls

}  // namespace tutti::actors
