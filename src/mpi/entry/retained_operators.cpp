#include "mpi/entry/retained_operators.hpp"
#include <algorithm>
#include <mutex>
#include <vector>

#include "collective/mpi/data/operator.hpp"
#include "mpi/entry/pending_data.hpp"

namespace tutti::mpi {

namespace {

struct InUse {
  MPI_Op op = MPI_OP_NULL;
  int users = 0;
  bool is_freed = false;  // by the program
};

std::mutex in_use_mutex;
std::vector<InUse>& in_use() {
  static auto* const all = new std::vector<InUse>;  // never destroyed: calls may outlive static objects
  return *all;
}

/// Finds the entry of an operator that the program has not freed.
auto find_live(MPI_Op op) {
  return std::ranges::find_if(in_use(),
                              [op](const InUse& entry) { return entry.op == op && !entry.is_freed; });
}

void keep(MPI_Op op) {
  const std::lock_guard lock(in_use_mutex);
  const auto found = find_live(op);
  if (found != in_use().end())
    ++found->users;
  else
    in_use().push_back({.op = op, .users = 1});
}

/// Ends one use of an operator. The MPI does not reuse a handle that is in use, so it identifies one operator.
void release(MPI_Op op) {
  bool is_last_of_freed = false;
  {
    const std::lock_guard lock(in_use_mutex);
    const auto found = std::ranges::find(in_use(), op, &InUse::op);
    if (--found->users > 0) return;
    is_last_of_freed = found->is_freed;
    in_use().erase(found);
  }
  if (is_last_of_freed) PMPI_Op_free(&op);
}

}  // namespace

RetainedOperator::RetainedOperator(MPI_Op op) : op_(op) {
  if (!is_own_operator(op)) return;
  keep(op);
  kept_ = std::shared_ptr<void>(nullptr, [op](void*) { release(op); });
}

/// MPI_Op_free: frees the operator at once, or after its last use.
static int free_operator(MPI_Op* op) {
  if (op != nullptr) {
    const std::lock_guard lock(in_use_mutex);
    if (const auto found = find_live(*op); found != in_use().end()) {
      found->is_freed = true;
      *op = MPI_OP_NULL;
      return MPI_SUCCESS;
    }
  }
  return PMPI_Op_free(op);
}

}  // namespace tutti::mpi

#pragma GCC visibility push(default)
extern "C" {

int MPI_Op_free(MPI_Op* op) {
  tutti::mpi::await_objects(op);
  return tutti::mpi::free_operator(op);
}

}  // extern "C"
#pragma GCC visibility pop
