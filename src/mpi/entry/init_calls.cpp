// Entry points for initialisation and finalisation. Tutti starts after the native MPI and stops before it.

#include <atomic>

#include "mpi/api/init_state.hpp"
#include "mpi/entry/pending_data.hpp"
#include "mpi/native/next_mpi.hpp"
#include "mpi/runtime/runtime.hpp"
#include "mpi_versions.h"

using tutti::mpi::Runtime;

namespace {

void before_native_init() {
  tutti::mpi::refuse_other_mpi();
  tutti::mpi::hide_from_children();
  tutti::mpi::announce_presence();
}

/// `program_level`: the thread level that is reported to the program.
void after_native_init(int program_level) {
  if (tutti::mpi::is_present_everywhere())
    Runtime::start(program_level);
  else
    Runtime::decline();
}

/// With sessions, MPI_COMM_SELF and its attributes may exist beyond MPI_Finalize.
std::atomic<bool> has_sessions{false};

TUTTI_NEXT_MPI(MPI_Init);
TUTTI_NEXT_MPI(MPI_Init_thread);
TUTTI_NEXT_MPI(MPI_Query_thread);
TUTTI_NEXT_MPI(MPI_Finalize);
TUTTI_NEXT_MPI(MPI_Abort);
TUTTI_NEXT_MPI(MPI_Session_init);

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int MPI_Init(int* argc, char*** argv) {
  before_native_init();
  const bool raises_level = Runtime::wants_threads();
  int granted = MPI_THREAD_SINGLE;
  const int result = raises_level ? next_MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &granted)
                                  : next_MPI_Init(argc, argv);
  if (result != MPI_SUCCESS) return result;
  if (!raises_level) PMPI_Query_thread(&granted);
  after_native_init(tutti::mpi::tell_level(tutti::mpi::level_of_init(), granted));
  return result;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  before_native_init();
  const int wanted = tutti::mpi::level_of_init_thread(required);
  const bool raises_level = tutti::mpi::is_thread_level(required) && Runtime::wants_threads();
  const int level = raises_level ? MPI_THREAD_MULTIPLE : required;
  int granted = MPI_THREAD_SINGLE;
  const int result = next_MPI_Init_thread(argc, argv, level, &granted);
  if (result != MPI_SUCCESS) return result;
  *provided = tutti::mpi::tell_level(wanted, granted);
  after_native_init(*provided);
  return result;
}

int MPI_Query_thread(int* provided) {
  const int result = next_MPI_Query_thread(provided);
  if (result == MPI_SUCCESS) *provided = tutti::mpi::told_level(*provided);
  return result;
}

/// If a session is initialised first, its initialisation distributes the launcher's keys, and that of MPI_COMM_WORLD no
/// longer does.
int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) {
  before_native_init();
  has_sessions.store(true, std::memory_order_relaxed);
  return next_MPI_Session_init(info, errhandler, session);
}

int MPI_Finalize() {
  Runtime::note_finalize();
  tutti::mpi::settle_all_early_calls();  // failures can still be passed to error handlers
  tutti::mpi::api::shut_down();
  Runtime::begin_finalize();
  if (has_sessions.load(std::memory_order_relaxed)) Runtime::stop();
  return next_MPI_Finalize();
}

int MPI_Abort(MPI_Comm comm, int code) {
  Runtime::abort();
  return next_MPI_Abort(comm, code);
}

}  // extern "C"
#pragma GCC visibility pop
