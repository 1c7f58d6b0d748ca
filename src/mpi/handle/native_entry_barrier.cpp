#include "mpi/handle/native_entry_barrier.hpp"

#include <memory>

#include "mpi/handle/members.hpp"

namespace tutti::mpi {

using base::Status;

namespace {

int forget_meeting(MPI_Comm, int, void* meeting, void*) {
  delete static_cast<Meeting*>(meeting);
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

Status Meetings::open() {
  const int code = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_meeting, &keyval_, nullptr);
  return code == MPI_SUCCESS ? Status{} : Status{base::Code::mpi, "no keyval for communicators", code};
}

void Meetings::close() {
  if (keyval_ != MPI_KEYVAL_INVALID) PMPI_Comm_free_keyval(&keyval_);
}

Meeting* Meetings::find(MPI_Comm comm) const {
  void* known = nullptr;
  int is_known = 0;
  if (PMPI_Comm_get_attr(comm, keyval_, &known, &is_known) != MPI_SUCCESS) return nullptr;
  if (is_known == 0) {
    auto made = std::make_unique<Meeting>(Meeting{.is_possible = are_all_of_this_world(comm)});
    if (PMPI_Comm_set_attr(comm, keyval_, made.get()) != MPI_SUCCESS) return nullptr;
    known = made.release();
  }
  auto* const meeting = static_cast<Meeting*>(known);
  return meeting->is_possible ? meeting : nullptr;
}

}  // namespace tutti::mpi
