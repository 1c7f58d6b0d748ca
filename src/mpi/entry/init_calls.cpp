// The entry points around which everything else revolves. Tutti starts after the native MPI and stops before
// it.

#include "mpi/api/state.hpp"
#include "mpi/entry/pending_data.hpp"
#include "mpi/lifecycle/next_mpi.hpp"
#include "mpi/lifecycle/other_mpi.hpp"
#include "mpi/lifecycle/own_preload.hpp"
#include "mpi/lifecycle/presence.hpp"
#include "mpi/lifecycle/runtime.hpp"
#include "mpi_versions.h"

using tutti::mpi::Runtime;

namespace {

void before_native_init() {
  tutti::mpi::refuse_other_mpi();
  tutti::mpi::hide_from_children();
  tutti::mpi::announce_presence();
}

/// `program_level`: the thread level that the program asked for.
void after_native_init(int program_level) {
  if (tutti::mpi::is_present_everywhere())
    Runtime::start(program_level);
  else
    Runtime::decline();
}

TUTTI_NEXT_MPI(MPI_Init);
TUTTI_NEXT_MPI(MPI_Init_thread);
TUTTI_NEXT_MPI(MPI_Finalize);
TUTTI_NEXT_MPI(MPI_Abort);
TUTTI_NEXT_MPI(MPI_Session_init);

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int MPI_Init(int* argc, char*** argv) {
  before_native_init();
  int provided = MPI_THREAD_SINGLE;
  const int result = Runtime::wants_threads()
                         ? next_MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided)
                         : next_MPI_Init(argc, argv);
  if (result == MPI_SUCCESS) after_native_init(MPI_THREAD_SINGLE);
  return result;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  before_native_init();
  const int level = Runtime::wants_threads() ? MPI_THREAD_MULTIPLE : required;
  const int result = next_MPI_Init_thread(argc, argv, level, provided);
  if (result == MPI_SUCCESS) after_native_init(required);
  return result;
}

/// Where a session comes first, what the ranks have told the launcher is spread by its initialisation, and no
/// longer by that of the world.
int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) {
  before_native_init();
  return next_MPI_Session_init(info, errhandler, session);
}

int MPI_Finalize() {
  tutti::mpi::settle_all_early_calls();  // error handlers may still hear of failures
  tutti::mpi::api::shut_down();
  Runtime::stop();
  return next_MPI_Finalize();
}

int MPI_Abort(MPI_Comm comm, int code) {
  Runtime::abort();
  return next_MPI_Abort(comm, code);
}

}  // extern "C"
#pragma GCC visibility pop
