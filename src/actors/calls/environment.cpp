// Initialisation, finalisation and environment inquiries (MPI 4.0, chapters 9 and 11).

#include <time.h>

#include <set>
#include <string>
#include <utility>

#include "actors/calls/attribute_functions.hpp"
#include "actors/calls/container_services.hpp"
#include "actors/calls/rank.hpp"
#include "base/standard_error.hpp"
#include "calls.hpp"
#include "mpi/native/library_version.hpp"

namespace tutti::actors::calls {

namespace {

void write_outputs(Rank& me) {
  const RankMap& rank_map = me.container().rank_map();
  std::set<int> nodes;
  for (int rank = 0; rank < rank_map.rank_count(); ++rank) nodes.insert(rank_map.node_of(rank));
  me.services().write_outputs(mpi::library_title(), rank_map.rank_count(), static_cast<int>(nodes.size()),
                              static_cast<int>(rank_map.leaders().size()), me.container().job_record());
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): names of MPI
int Init(Rank& me, int*, char***) {
  if (me.state() != Rank::State::before) me.container().abort(me, 1, "MPI_Init comes twice");
  if (!me.container().are_loaded())
    me.container().abort(
        me, 1,
        "MPI_Init in a constructor: ranks as threads are loaded one after the other (run the program "
        "without --actors)");
  me.initialise(MPI_THREAD_SINGLE);
  if (const JobRecord* const record = me.container().job_record())
    if (const base::Status status = me.services().open_record(*record); !status)
      base::log("TUTTI_RECORD: " + status.message() + "; this rank is not recorded");
  me.container().initialised(me);
  return MPI_SUCCESS;
}

int Init_thread(Rank& me, int* argc, char*** argv, int required, int* provided) {
  Init(me, argc, argv);
  *provided = required < MPI_THREAD_FUNNELED ? MPI_THREAD_SINGLE : MPI_THREAD_FUNNELED;
  me.initialise(*provided);
  return MPI_SUCCESS;
}

int Finalize(Rank& me) {
  if (me.state() != Rank::State::initialised) me.container().abort(me, 1, "MPI_Finalize without MPI_Init");
  me.services().enter_finalize();
  delete_attributes(me, MPI_COMM_SELF, &me.self().attributes);
  delete_attributes(me, MPI_COMM_WORLD, &me.world().attributes);
  delete_type_attributes(me);
  me.wait_until([&me] { return !me.has_orphans(); });
  Barrier(me, MPI_COMM_WORLD);
  me.wait_until([&me] { return !me.services().agreements().has_jobs(); });
  me.container().end_record(me);
  write_outputs(me);
  me.finalise();
  return MPI_SUCCESS;
}

int Initialized(Rank& me, int* flag) {
  *flag = me.state() != Rank::State::before ? 1 : 0;
  return MPI_SUCCESS;
}

int Finalized(Rank& me, int* flag) {
  *flag = me.state() == Rank::State::finalised ? 1 : 0;
  return MPI_SUCCESS;
}

int Query_thread(Rank& me, int* provided) {
  *provided = me.thread_level();
  return MPI_SUCCESS;
}

int Is_thread_main(Rank& me, int* flag) {
  *flag = pthread_equal(pthread_self(), me.first_thread()) != 0 ? 1 : 0;
  return MPI_SUCCESS;
}

int Abort(Rank& me, MPI_Comm, int code) {
  me.container().abort(me, code, "MPI_Abort");
  return code;
}

int Pcontrol(Rank&, const int) {
  return MPI_SUCCESS;
}

int Get_processor_name(Rank& me, char* name, int* length) {
  return me.checked(PMPI_Get_processor_name(name, length));
}

double Wtime(Rank&) {
  return PMPI_Wtime();
}

double Wtick(Rank&) {
  return PMPI_Wtick();
}
// NOLINTEND(readability-identifier-naming)

}  // namespace tutti::actors::calls
