#include "mpi/communicator/native_collective.hpp"

#include "mpi/native/refusal.hpp"

namespace tutti::mpi {

void NativeCollective::begin(MPI_Comm comm) {
  Runtime* const runtime = Runtime::get();
  if (runtime == nullptr || !runtime->progress().is_serving()) return;
  ProgressEngine& progress = runtime->progress();
  if (progress.has_thread()) {
    if (!progress.must_drive()) return;
    progress.begin_delegation();
    delegated_ = &progress;
  } else if (comm != MPI_COMM_NULL) {
    barrier_ = runtime->native_entry_barriers().find(comm);
    if (barrier_ == nullptr) return;
    if (!barrier_->has_met) progress.meet(comm);
    barrier_->has_met = false;
  }
}

void NativeCollective::keep_meeting(int result) {
  if (is_refusal(result)) barrier_->has_met = true;
}

}  // namespace tutti::mpi
