#include "mpi/communicator/adopt.hpp"

#include <algorithm>
#include <vector>

#include "collective/mpi/data/local_check.hpp"
#include "mpi/communicator/communicator.hpp"
#include "mpi/handle/comm_id.hpp"
#include "mpi/handle/members.hpp"
#include "mpi/native/refusal.hpp"
#include "mpi/runtime/runtime.hpp"

namespace tutti::mpi {

using base::Status;

namespace {

/// Number that stands for all parents that Tutti does not serve, in the order of creations.
constexpr CommId k_unknown_parent = UINT16_MAX;

/// Attribute deletion callback: the communicator is being freed.
int release(MPI_Comm comm, int, void*, void*) {
  Runtime* runtime = Runtime::get();
  if (runtime == nullptr) return MPI_SUCCESS;  // after MPI_Finalize has begun: already gone
  Communicator* const freed = runtime->communicators().erase(comm);
  if (freed == nullptr) return MPI_SUCCESS;
  if (const auto* const sites = freed->sites()) runtime->remember_sites(*sites, freed->rank());
  freed->freed();
  return MPI_SUCCESS;
}

/// Makes MPI call release() when the communicator is freed. The attribute has no value: the state is in the table.
bool watch(const Runtime& runtime, MPI_Comm comm) {
  return PMPI_Comm_set_attr(comm, runtime.comm_keyval(), nullptr) == MPI_SUCCESS;
}

/// The same on all members.
bool wants_twin(Runtime& runtime, MPI_Comm comm, CommId id) {
  // Every twin takes one of the MPI's limited communicators, and its creation costs as much as that of the program's.
  constexpr CommId k_most_twins = 64;
  using Tuning = collective::Options::Tuning;
  const Tuning tuning = runtime.options().tuning;
  const ProgressEngine& progress = runtime.progress();
  const bool is_worth_it = id == k_world_id || (id < k_most_twins && progress.is_likely());
  if (!is_worth_it || tuning == Tuning::off || !progress.is_serving()) return false;
  if (tuning == Tuning::all) return true;
  std::vector<int> world_ranks;
  find_world_ranks(comm, PMPI_Comm_group, &world_ranks);
  return runtime.selector()
      .for_communicator(topology_of(world_ranks, runtime.node_of_world_rank()))
      ->leaves_choice(select::CallInterface::nonblocking);
}

void take_in(Runtime& runtime, MPI_Comm comm, CommId id) {
  int rank = 0, size = 0;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  const MPI_Comm twin = wants_twin(runtime, comm, id) ? runtime.twins().make(comm) : MPI_COMM_NULL;
  if (Communicator* const stale = runtime.communicators().erase(comm)) stale->freed();
  // The table owns it, until release().
  auto* const made = new Communicator(runtime, comm, id, rank, size, twin);
  if (runtime.record().is_wanted())
    made->set_counter(runtime.record().counter_of_served(rank, made->world_ranks(), id,
                                                         id == k_world_id ? "MPI_COMM_WORLD" : ""));
  runtime.communicators().insert(comm, made);
}

/// After a creation by all members of `parent`. If the attribute cannot be set, the state is kept until the MPI reuses
/// the handle.
void adopt_child(Runtime& runtime, MPI_Comm made, MPI_Comm parent_handle, Communicator& parent) {
  const auto id = parent.reserve().take(parent_handle, parent.id());
  int size = 0;
  if (made != MPI_COMM_NULL) PMPI_Comm_size(made, &size);
  if (id && size > 1) {
    watch(runtime, made);
    return take_in(runtime, made, *id);
  }
  if (id)
    give_back(*id);
  else
    runtime.log_verbose("a communicator stays native: " + id.status().message());
}

}  // namespace

Status make_comm_keyval(int* keyval) {
  const int code = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, release, keyval, nullptr);
  return code == MPI_SUCCESS ? Status{} : Status{base::Code::mpi, "no keyval for communicators", code};
}

void adopt_world(Runtime& runtime) {
  take_in(runtime, MPI_COMM_WORLD, k_world_id);
}

void adopt(int result, MPI_Comm made, MPI_Comm parent) {
  Runtime* const runtime = Runtime::get();
  if (runtime == nullptr || (result != MPI_SUCCESS && is_refusal(result))) return;
  if (result != MPI_SUCCESS) made = MPI_COMM_NULL;
  Communicator* const known_parent = runtime->communicators().find(parent);
  if (known_parent != nullptr)
    adopt_child(*runtime, made, parent, *known_parent);
  else
    adopt_of_some(result, made, parent, 0);
}

void adopt_of_some(int result, MPI_Comm made, MPI_Comm parent, int tag) {
  Runtime* const runtime = Runtime::get();
  if (runtime == nullptr || result != MPI_SUCCESS || made == MPI_COMM_NULL) return;
  int is_inter = 0, size = 0;
  PMPI_Comm_test_inter(made, &is_inter);
  PMPI_Comm_size(made, &size);
  std::vector<int> world_ranks;
  if (is_inter || size < 2 || !find_world_ranks(made, PMPI_Comm_group, &world_ranks)) return;
  const Communicator* const known_parent = runtime->communicators().find(parent);
  const bool is_watched = local_check(watch(*runtime, made));
  const auto id =
      agree_on_id(made, known_parent != nullptr ? known_parent->id() : k_unknown_parent, tag, is_watched);
  if (id) return take_in(*runtime, made, *id);
  if (is_watched) PMPI_Comm_delete_attr(made, runtime->comm_keyval());
  runtime->log_verbose("a communicator stays native: " + id.status().message());
}

MPI_Comm communicator_of_twin(MPI_Comm twin) {
  MPI_Comm found = MPI_COMM_NULL;
  if (Runtime* const runtime = Runtime::get())
    runtime->communicators().for_each([&](const Communicator* communicator) {
      if (communicator->twin() == twin) found = communicator->handle();
    });
  return found;
}

void release_all(Runtime& runtime) {
  std::vector<Communicator*> all;
  runtime.communicators().for_each([&](Communicator* communicator) { all.push_back(communicator); });
  for (Communicator* communicator : all) communicator->freed();
}

}  // namespace tutti::mpi
