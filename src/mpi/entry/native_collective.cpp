#include "mpi/entry/native_collective.hpp"

#include "mpi/lifecycle/refusal.hpp"
#include "mpi/lifecycle/runtime.hpp"

namespace tutti::mpi {

NativeCollective::NativeCollective(MPI_Comm comm) {
  Runtime* const runtime = Runtime::get();
  if (runtime == nullptr || !runtime->progress().is_serving()) return;
  ProgressEngine& progress = runtime->progress();
  if (progress.has_thread()) {
    if (!progress.must_drive()) return;
    progress.begin_delegation();
    delegated_ = &progress;
  } else if (comm != MPI_COMM_NULL) {
    meeting_ = runtime->meetings().find(comm);
    if (meeting_ == nullptr) return;
    if (!meeting_->has_met) progress.meet(comm);
    meeting_->has_met = false;
  }
}

int NativeCollective::ended(int result) {
  if (meeting_ != nullptr && is_refusal(result)) meeting_->has_met = true;
  return result;
}

NativeCollective::~NativeCollective() {
  if (delegated_ != nullptr) delegated_->end_delegation();
}

}  // namespace tutti::mpi
