#include "mpi/node/node_access.hpp"

#include <algorithm>

#include "mpi/native/agreement.hpp"

namespace tutti::mpi {

using base::Status;
using topology::Rank;

Status NodeSharedMemory::set_up(MPI_Comm world, std::span<const int32_t> node_of_world_rank,
                                const base::Settings& settings) {
  int me = 0;
  PMPI_Comm_rank(world, &me);
  const int32_t node = node_of_world_rank[static_cast<size_t>(me)];
  const auto begin = node_of_world_rank.begin();
  process_ = static_cast<uint32_t>(std::count(begin, begin + me, node));
  const auto process_count = static_cast<uint32_t>(std::count(begin, node_of_world_rank.end(), node));
  const uint64_t bytes = settings.number("TUTTI_SHM_SIZE");
  // The result is the same on all ranks, because they have the same settings and the same map of nodes.
  std::vector<int32_t> nodes(begin, node_of_world_rank.end());
  std::sort(nodes.begin(), nodes.end());
  const bool shares_a_node = std::adjacent_find(nodes.begin(), nodes.end()) != nodes.end();
  if (bytes == 0 || !shares_a_node) return {};

  const std::string name = node::arena_name(common_token(world), node);
  const auto take = [&](base::Result<std::unique_ptr<node::Arena>> arena) {
    if (arena) {
      arena_ = std::move(*arena);
      node::OneCopy::announce(*arena_, process_);
    }
    return arena.status();
  };
  const bool shares = process_count > 1;
  Status status;
  if (shares && process_ == 0) status = take(node::Arena::create(name, process_count, bytes));
  const bool is_created = all_agree(world, status.is_ok());
  if (is_created && shares && process_ > 0) status = take(node::Arena::attach(name));
  if (!is_created || !all_agree(world, status.is_ok())) {
    arena_.reset();
    return status ? Status::not_supported("another rank cannot share memory with its node") : status;
  }
  if (arena_ == nullptr) return {};
  if (process_ == 0) arena_->unlink();
  one_copy_ = std::make_unique<node::OneCopy>(*arena_, process_, settings.text("TUTTI_CMA") != "off");
  return {};
}

void PrivateNodeMemory::reserve(uint64_t bytes) {
  if (bytes_.size() < bytes) bytes_.resize(bytes);
}

NodeEndpoints::NodeEndpoints(NodeSharedMemory& shared_memory, uint32_t communicator_id,
                             const topology::Topology& topology, int rank, std::span<const int> world_ranks)
    : shared_memory_(shared_memory) {
  const auto on_node = topology.ranks_of(topology.node_of(rank));
  members_.assign(on_node.begin(), on_node.end());
  if (shared_memory_.arena() == nullptr || members_.size() < 2) return;
  std::vector<Rank> members_in_world;
  for (const Rank member : members_) members_in_world.push_back(world_ranks[static_cast<size_t>(member)]);
  const node::Member me{.index = static_cast<uint32_t>(topology.local_index(rank)),
                        .process = shared_memory_.process()};
  region_ = node::Region::acquire(*shared_memory_.arena(),
                                  {.communicator = communicator_id, .members = members_in_world}, me);
}

uint64_t NodeEndpoints::operation_bytes() const {
  if (members_.size() < 2) return UINT64_MAX;
  return region_.status() ? region_.layout().operation_bytes() : 0;
}

engine::Ports NodeEndpoints::ports(transport::Endpoint& network) {
  if (members_.size() < 2) return {.networks = {&network}, .local = &network, .node = &private_memory_};
  if (!region_.status()) return {.networks = {&network}, .local = &network};
  endpoint_.emplace(region_, *shared_memory_.one_copy(), members_);
  memory_.emplace(region_);
  bell_.emplace(region_);
  return {.networks = {&network}, .local = &*endpoint_, .node = &*memory_, .bell = &*bell_};
}

}  // namespace tutti::mpi
