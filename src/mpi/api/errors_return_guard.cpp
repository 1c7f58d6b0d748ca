#include "mpi/api/errors_return_guard.hpp"

#include <array>
#include <mutex>

namespace tutti::mpi::api {

namespace {

/// Makes errors of a communicator return. Returns its previous handler, which the caller owns.
MPI_Errhandler silence(MPI_Comm comm) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(comm, &handler);
  PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return handler;
}

void restore(MPI_Comm comm, MPI_Errhandler handler) {
  PMPI_Comm_set_errhandler(comm, handler);
  PMPI_Errhandler_free(&handler);
}

/// Handlers of MPI_COMM_WORLD and MPI_COMM_SELF: depending on the MPI, one of these gets errors without a communicator.
/// Threads share them: the first thread silences them, the last one restores them.
std::mutex quiet_mutex;
int user_count = 0;
std::array<MPI_Errhandler, 2> handlers;

void silence_common() {
  const std::lock_guard lock(quiet_mutex);
  if (user_count++ == 0) handlers = {silence(MPI_COMM_WORLD), silence(MPI_COMM_SELF)};
}

void restore_common() {
  const std::lock_guard lock(quiet_mutex);
  if (--user_count > 0) return;
  restore(MPI_COMM_WORLD, handlers[0]);
  restore(MPI_COMM_SELF, handlers[1]);
}

}  // namespace

ErrorsReturnGuard::ErrorsReturnGuard(MPI_Comm comm) : comm_(comm) {
  silence_common();
  int is_inter = 0;
  is_comm_ = comm != MPI_COMM_NULL && PMPI_Comm_test_inter(comm, &is_inter) == MPI_SUCCESS;
  is_own_ = is_comm_ && comm != MPI_COMM_WORLD && comm != MPI_COMM_SELF;
  if (is_own_) handler_ = silence(comm);
}

ErrorsReturnGuard::~ErrorsReturnGuard() {
  if (is_own_) restore(comm_, handler_);
  restore_common();
}

}  // namespace tutti::mpi::api
