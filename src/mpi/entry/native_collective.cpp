#include "mpi/entry/native_collective.hpp"

#include <algorithm>
#include <array>

#include "mpi/lifecycle/runtime.hpp"

namespace tutti::mpi {

namespace {

/// The arguments are wrong: nothing has been sent.
bool is_refusal(int code) {
  int error_class = MPI_SUCCESS;
  if (code != MPI_SUCCESS) PMPI_Error_class(code, &error_class);
  constexpr std::array k_of_arguments{MPI_ERR_BUFFER, MPI_ERR_COUNT, MPI_ERR_TYPE,
                                      MPI_ERR_ROOT,   MPI_ERR_OP,    MPI_ERR_ARG};
  return std::ranges::find(k_of_arguments, error_class) != k_of_arguments.end();
}

}  // namespace

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
