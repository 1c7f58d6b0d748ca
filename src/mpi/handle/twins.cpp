#include "mpi/handle/twins.hpp"

#include <atomic>
#include <utility>

#include "mpi/native/agreement.hpp"

namespace tutti::mpi {

namespace {

thread_local bool is_silent = false;
std::atomic<Twins::OriginOf*> find_origin{nullptr};  // global: MPI passes no user data to error handlers

void forward_error(MPI_Comm* twin, int* code, ...) {
  const MPI_Comm origin = is_silent ? MPI_COMM_NULL : find_origin.load(std::memory_order_relaxed)(*twin);
  if (origin != MPI_COMM_NULL) PMPI_Comm_call_errhandler(origin, *code);
}

/// A duplicate without attributes or topology. A failure is not passed to the error handler of `comm`.
MPI_Comm like(MPI_Comm comm) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Group members = MPI_GROUP_NULL;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(comm, &handler);
  PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  PMPI_Comm_group(comm, &members);
  if (PMPI_Comm_create(comm, members, &made) != MPI_SUCCESS) made = MPI_COMM_NULL;
  PMPI_Group_free(&members);
  PMPI_Comm_set_errhandler(comm, handler);
  PMPI_Errhandler_free(&handler);
  return made;
}

}  // namespace

Twins::Silence::Silence() {
  is_silent = true;
}

Twins::Silence::~Silence() {
  is_silent = false;
}

base::Status Twins::open(MPI_Comm of_world, OriginOf* origin_of) {
  find_origin.store(origin_of, std::memory_order_relaxed);
  const int code = PMPI_Comm_create_errhandler(forward_error, &forwarder_);
  if (code != MPI_SUCCESS) return {base::Code::mpi, "no error handler for communicators", code};
  of_world_ = of_world;
  return {};
}

void Twins::close() {
  free_spent();
  if (forwarder_ != MPI_ERRHANDLER_NULL) PMPI_Errhandler_free(&forwarder_);
}

MPI_Comm Twins::make(MPI_Comm comm) {
  MPI_Comm twin = of_world_;
  if (comm != MPI_COMM_WORLD) {
    free_spent();
    twin = like(comm);
    if (!all_agree(comm, twin != MPI_COMM_NULL)) {
      if (twin != MPI_COMM_NULL) PMPI_Comm_free(&twin);
      return MPI_COMM_NULL;
    }
  }
  PMPI_Comm_set_errhandler(twin, forwarder_);
  return twin;
}

void Twins::give_back(MPI_Comm twin) {
  if (twin == of_world_) return;
  const std::lock_guard lock(mutex_);
  spent_.push_back(twin);
}

void Twins::free_spent() {
  std::vector<MPI_Comm> spent;
  {
    const std::lock_guard lock(mutex_);
    spent = std::exchange(spent_, {});
  }
  for (MPI_Comm& twin : spent) PMPI_Comm_free(&twin);
}

}  // namespace tutti::mpi
