#include "mpi/lifecycle/adopt.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "mpi/data/local_check.hpp"
#include "mpi/lifecycle/comm_id.hpp"
#include "mpi/lifecycle/communicator.hpp"
#include "mpi/lifecycle/members.hpp"
#include "mpi/lifecycle/runtime.hpp"

namespace tutti::mpi {

using base::Status;

namespace {

/// Parents that Tutti does not serve share this place in the order of creations.
constexpr CommId k_unknown_parent = UINT16_MAX;

/// Attribute deletion: the communicator is being freed.
int release(MPI_Comm comm, int, void*, void*) {
  Runtime* runtime = Runtime::get();
  if (runtime == nullptr) return MPI_SUCCESS;  // after MPI_Finalize has begun: already gone
  Communicator* const freed = runtime->communicators().erase(comm);
  if (freed == nullptr) return MPI_SUCCESS;
  runtime->remember_sites(freed->sites(), freed->rank());
  freed->freed();
  return MPI_SUCCESS;
}

topology::Topology topology_of(const Runtime& runtime, const std::vector<int>& world_ranks) {
  std::vector<int32_t> nodes;
  nodes.reserve(world_ranks.size());
  for (const int rank : world_ranks) nodes.push_back(runtime.node_of_world_rank()[static_cast<size_t>(rank)]);
  return topology::Topology::from_node_of_rank(nodes).value();  // not empty
}

/// Lets release() be called when the communicator is freed. The attribute has no value: the table has it.
bool watch(const Runtime& runtime, MPI_Comm comm) {
  return PMPI_Comm_set_attr(comm, runtime.comm_keyval(), nullptr) == MPI_SUCCESS;
}

/// The same on all members.
bool wants_twin(Runtime& runtime, const select::CommunicatorRules& rules, CommId id) {
  // Every twin is a communicator of the MPI, of which there may be few; and making one costs what the program's did.
  constexpr CommId k_most_twins = 64;
  using Tuning = dispatch::Options::Tuning;
  const Tuning tuning = runtime.options().tuning;
  const bool has_sites =
      tuning == Tuning::all || (tuning == Tuning::on && rules.leaves_choice(select::CallKind::nonblocking));
  const ProgressEngine& progress = runtime.progress();
  const bool is_worth_it = id == k_world_id || (id < k_most_twins && progress.is_likely());
  return has_sites && progress.is_serving() && is_worth_it;
}

void take_in(Runtime& runtime, MPI_Comm comm, CommId id, std::vector<int> world_ranks) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  topology::Topology topology = topology_of(runtime, world_ranks);
  record::Track* const track =
      runtime.record().track_of_served(rank, world_ranks, id, id == k_world_id ? "MPI_COMM_WORLD" : "");
  auto rules = runtime.selector().for_communicator(topology);
  const MPI_Comm twin = wants_twin(runtime, *rules, id) ? runtime.twins().make(comm) : MPI_COMM_NULL;
  // The table owns it, until release().
  auto* const made = new Communicator(runtime, comm, id, rank, std::move(world_ranks), std::move(topology),
                                      std::move(rules), twin);
  made->set_track(track);
  runtime.communicators().insert(comm, made);
}

}  // namespace

Status make_comm_keyval(int* keyval) {
  const int code = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, release, keyval, nullptr);
  return code == MPI_SUCCESS ? Status{} : Status{base::Code::mpi, "no keyval for communicators", code};
}

void adopt_world(Runtime& runtime) {
  std::vector<int> world_ranks(static_cast<size_t>(runtime.world_size()));
  std::iota(world_ranks.begin(), world_ranks.end(), 0);
  take_in(runtime, MPI_COMM_WORLD, k_world_id, std::move(world_ranks));
}

void adopt(MPI_Comm made, MPI_Comm parent, int tag) {
  Runtime* runtime = Runtime::get();
  if (runtime == nullptr || made == MPI_COMM_NULL) return;
  int is_inter = 0, size = 0;
  PMPI_Comm_test_inter(made, &is_inter);
  PMPI_Comm_size(made, &size);
  std::vector<int> world_ranks;
  if (is_inter || size < 2 || !find_world_ranks(made, PMPI_Comm_group, &world_ranks)) return;
  const Communicator* known_parent = runtime->communicators().find(parent);
  const bool is_watched = local_check(watch(*runtime, made));
  const auto id =
      agree_on_id(made, known_parent != nullptr ? known_parent->id() : k_unknown_parent, tag, is_watched);
  if (id) {
    take_in(*runtime, made, *id, std::move(world_ranks));
  } else {
    if (is_watched) PMPI_Comm_delete_attr(made, runtime->comm_keyval());
    runtime->say_if_verbose("a communicator stays native: " + id.status().message());
  }
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
