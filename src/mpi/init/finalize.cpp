// The end of Tutti in a process: in MPI_Finalize, in MPI_Abort, or without either.

#include <unistd.h>

#include <utility>

#include "base/clock.hpp"
#include "collective/mpi/data/datatype.hpp"
#include "mpi/communicator/adopt.hpp"
#include "mpi/communicator/communicator.hpp"
#include "mpi/network/ucx_network.hpp"
#include "mpi/runtime/runtime.hpp"

namespace tutti::mpi {

void Runtime::end_process() {
  Runtime* runtime = get();
  // A forked child has other threads' locks, but not the threads that would release them.
  if (runtime == nullptr || runtime->process_id_ != getpid()) return;
  runtime->write_outputs("exit");
  runtime->on_termination_.reset();
  runtime->early_calls_.await();
  // The MPI's own exit handlers come next; no thread of Tutti's may call it, or UCX, meanwhile.
  constexpr uint64_t k_leave_within_ns = 100'000'000;
  runtime->progress_.hand_over(k_leave_within_ns);
  runtime->record_.leave_clocks(k_leave_within_ns);
  runtime->agents_.hand_over(runtime->progress_, 10 * k_leave_within_ns);
}

namespace {

/// Runs when the library is unloaded: in exit() after all handlers and destructors of the program, which may call MPI,
/// and before the unloading of the libraries that this one needs.
[[gnu::destructor]] void go_with_library() {
  Runtime::end_process();
}

}  // namespace

void Runtime::note_finalize() {
  Runtime* const runtime = get();
  if (runtime != nullptr) runtime->finalize_ns_ = base::monotonic_ns();
}

void Runtime::begin_finalize() {
  Runtime* const runtime = get();
  if (runtime != nullptr) runtime->hand_over_to_program();
}

/// From now on MPICH permits no calls of other threads. Steps that wait for all ranks come after the program's
/// callbacks, except the end of clock comparisons, because one may be pending.
void Runtime::hand_over_to_program() {
  if (std::exchange(has_handed_over_, true)) return;
  record_.stop_clocks(private_comm_, machine_of_world_rank_);
  progress_.hand_over(engine::ProgressThread::k_forever_ns);
  if (agents_.call_mpi()) agents_.hand_over(progress_, engine::ProgressThread::k_forever_ns);
}

void Runtime::abort() {
  Runtime* const runtime = get();
  if (runtime != nullptr && runtime->record_.is_wanted()) runtime->write_outputs("MPI_Abort");
}

void Runtime::stop() {
  world_.store(nullptr, std::memory_order_release);
  NativeWords::of_world = {};
  Runtime* runtime = instance_.exchange(nullptr, std::memory_order_acq_rel);
  if (runtime == nullptr) return;
  if (runtime->finalize_ns_ == 0) runtime->finalize_ns_ = base::monotonic_ns();
  runtime->hand_over_to_program();
  runtime->progress_.stop();
  runtime->record_.compare_clocks(runtime->private_comm_, runtime->machine_of_world_rank_);
  runtime->write_outputs("MPI_Finalize");
  runtime->on_termination_.reset();
  runtime->requests_.native.forget();
  runtime->requests_.pending.release_persistent();
  release_all(*runtime);
  runtime->agents_.close(runtime->private_comm_, runtime->progress_);
  runtime->close_network();
  release_datatypes();
  delete runtime;
}

/// Waits for all ranks first, because peers may still be reading data that this rank has sent.
void Runtime::close_network() {
  if (ucx_network_ == nullptr) return;
  progress_.meet(private_comm_);
  leave_ucx(std::move(ucx_network_));
}

Runtime::~Runtime() {
  if (self_keyval_ != MPI_KEYVAL_INVALID) {
    PMPI_Comm_delete_attr(MPI_COMM_SELF, self_keyval_);
    PMPI_Comm_free_keyval(&self_keyval_);
  }
  if (comm_keyval_ != MPI_KEYVAL_INVALID) PMPI_Comm_free_keyval(&comm_keyval_);
  native_entry_barriers_.close();
  twins_.close();
  requests_.completions.close();
  for (MPI_Comm* comm : {&agreement_comm_, &private_comm_})
    if (*comm != MPI_COMM_NULL) PMPI_Comm_free(comm);
}

}  // namespace tutti::mpi
