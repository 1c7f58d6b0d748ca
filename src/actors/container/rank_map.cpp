#include "actors/container/rank_map.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "actors/container/native_wait.hpp"
#include "topology/node_map.hpp"

namespace tutti::actors {

using base::Result;
using base::Status;

namespace {

/// The data that each process publishes; sent as bytes.
struct ProcessDescription {
  topology::NodeIdentity node;
  uint64_t settings = 0;
  uint64_t network_namespace = 0;  // processes of one container connect by a local socket
  RankMap::Address address = {};
};

uint64_t own_network_namespace() {
  struct stat about {};
  return stat("/proc/self/ns/net", &about) == 0 ? about.st_ino : 0;
}

std::vector<topology::NodeIdentity> identities_of(const std::vector<ProcessDescription>& all) {
  std::vector<topology::NodeIdentity> identities;
  for (const ProcessDescription& one : all) identities.push_back(one.node);
  return identities;
}

std::vector<int32_t> node_of_each(const std::vector<ProcessDescription>& all) {
  std::vector<int32_t> nodes = topology::node_of_each_rank(identities_of(all));
  std::map<std::pair<int32_t, uint64_t>, int32_t> numbers;
  for (size_t r = 0; r < all.size(); ++r) {
    const auto next = static_cast<int32_t>(numbers.size());
    nodes[r] = numbers.try_emplace({nodes[r], all[r].network_namespace}, next).first->second;
  }
  return nodes;
}

}  // namespace

Result<RankMap> RankMap::agree(int most, uint64_t settings, const Address& own_address) {
  int count = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &count);
  const ProcessDescription mine{topology::this_node_identity(), settings, own_network_namespace(),
                                own_address};
  std::vector<ProcessDescription> all(static_cast<size_t>(count));
  MPI_Request request = MPI_REQUEST_NULL;
  int code = PMPI_Iallgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, MPI_COMM_WORLD,
                             &request);
  if (code == MPI_SUCCESS) code = wait_asleep(&request);
  if (code != MPI_SUCCESS)
    return Status::internal("the ranks cannot tell each other where they are: code " + std::to_string(code));
  if (!std::ranges::all_of(all, [&](const ProcessDescription& one) { return one.settings == settings; }))
    return Status::invalid_argument("the ranks have different TUTTI_* settings; give all the same");
  RankMap rank_map(node_of_each(all), most);
  rank_map.machine_ = topology::machine_of_each_rank(identities_of(all));
  for (const ProcessDescription& one : all) rank_map.addresses_.push_back(one.address);
  return rank_map;
}

RankMap::RankMap(std::span<const int32_t> node_of_rank, int most) {
  std::map<int32_t, std::vector<int>> nodes;
  for (size_t r = 0; r < node_of_rank.size(); ++r) nodes[node_of_rank[r]].push_back(static_cast<int>(r));
  leader_.resize(node_of_rank.size());
  node_.resize(node_of_rank.size());
  machine_.resize(node_of_rank.size());
  for (const auto& [number, ranks] : nodes) {
    const size_t parts = (ranks.size() + static_cast<size_t>(most) - 1) / static_cast<size_t>(most);
    for (size_t part = 0; part < parts; ++part) {  // sizes differ by at most one
      const size_t begin = ranks.size() * part / parts, end = ranks.size() * (part + 1) / parts;
      for (size_t i = begin; i < end; ++i) {
        leader_[static_cast<size_t>(ranks[i])] = ranks[begin];
        node_[static_cast<size_t>(ranks[i])] = ranks[0];
      }
    }
  }
}

std::vector<int> RankMap::ranks_of_leader(int leader) const {
  std::vector<int> ranks;
  for (int r = 0; r < rank_count(); ++r)
    if (leader_of(r) == leader) ranks.push_back(r);
  return ranks;
}

std::vector<int> RankMap::leaders() const {
  std::vector<int> found;
  for (int r = 0; r < rank_count(); ++r)
    if (leader_of(r) == r) found.push_back(r);
  return found;
}

}  // namespace tutti::actors
