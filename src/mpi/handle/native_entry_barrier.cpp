#include "mpi/handle/native_entry_barrier.hpp"

#include <memory>

#include "mpi/handle/members.hpp"

namespace tutti::mpi {

using base::Status;

namespace {

int forget_barrier(MPI_Comm, int, void* barrier, void*) {
  delete static_cast<NativeEntryBarrier*>(barrier);
  return MPI_SUCCESS;
}

/// True if all members are in this MPI_COMM_WORLD. The same on all ranks of both groups.
bool are_all_of_this_world(MPI_Comm comm) {
  int is_inter = 0;
  if (PMPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS) return false;
  std::vector<int> ranks;
  return find_world_ranks(comm, PMPI_Comm_group, &ranks) &&
         (is_inter == 0 || find_world_ranks(comm, PMPI_Comm_remote_group, &ranks));
}

}  // namespace

Status NativeEntryBarriers::open() {
  const int code = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_barrier, &keyval_, nullptr);
  return code == MPI_SUCCESS ? Status{} : Status{base::Code::mpi, "no keyval for communicators", code};
}

void NativeEntryBarriers::close() {
  if (keyval_ != MPI_KEYVAL_INVALID) PMPI_Comm_free_keyval(&keyval_);
}

NativeEntryBarrier* NativeEntryBarriers::find(MPI_Comm comm) const {
  void* known = nullptr;
  int is_known = 0;
  if (PMPI_Comm_get_attr(comm, keyval_, &known, &is_known) != MPI_SUCCESS) return nullptr;
  if (is_known == 0) {
    auto made =
        std::make_unique<NativeEntryBarrier>(NativeEntryBarrier{.is_possible = are_all_of_this_world(comm)});
    if (PMPI_Comm_set_attr(comm, keyval_, made.get()) != MPI_SUCCESS) return nullptr;
    known = made.release();
  }
  auto* const barrier = static_cast<NativeEntryBarrier*>(known);
  return barrier->is_possible ? barrier : nullptr;
}

}  // namespace tutti::mpi
