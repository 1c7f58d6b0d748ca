#include "topology/node_map.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "base/text.hpp"

namespace tutti::topology {
namespace {

using base::Status;

auto key_of(const NodeIdentity& identity) {
  return std::tuple(std::string_view(identity.host), std::string_view(identity.boot_id), identity.shm_device,
                    identity.shm_inode, identity.pid_namespace);
}

/// Assigns equal numbers to equal keys, in the order of their lowest rank.
template <class KeyOf>
std::vector<int32_t> numbered(std::span<const NodeIdentity> identities, KeyOf key_of) {
  std::map<decltype(key_of(identities.front())), int32_t> number_of;
  std::vector<int32_t> numbers;
  numbers.reserve(identities.size());
  for (const NodeIdentity& identity : identities) {
    const auto next = static_cast<int32_t>(number_of.size());
    numbers.push_back(number_of.try_emplace(key_of(identity), next).first->second);
  }
  return numbers;
}

Status malformed(std::string_view text, std::string_view why) {
  return Status::invalid_argument(fmt::format(
      "TUTTI_NODES={}: {}; expected one node number per rank, as in 0,0,1,1", base::in_quotes(text), why));
}

}  // namespace

NodeIdentity this_node_identity() {
  NodeIdentity identity;
  if (gethostname(identity.host, sizeof identity.host) != 0) identity.host[0] = '\0';
  identity.host[sizeof identity.host - 1] = '\0';

  std::string boot_id;
  if (std::ifstream file("/proc/sys/kernel/random/boot_id"); file) std::getline(file, boot_id);
  boot_id.copy(identity.boot_id, sizeof identity.boot_id - 1);

  struct stat about {};
  if (stat("/dev/shm", &about) == 0) {
    identity.shm_device = about.st_dev;
    identity.shm_inode = about.st_ino;
  }
  if (stat("/proc/self/ns/pid", &about) == 0) identity.pid_namespace = about.st_ino;
  return identity;
}

bool share_node(const NodeIdentity& a, const NodeIdentity& b) {
  return key_of(a) == key_of(b);
}

std::vector<int32_t> node_of_each_rank(std::span<const NodeIdentity> identities) {
  return numbered(identities, key_of);
}

std::vector<int32_t> machine_of_each_rank(std::span<const NodeIdentity> identities) {
  return numbered(identities, [](const NodeIdentity& identity) {
    const std::string_view kernel(identity.boot_id);
    return std::pair(kernel, kernel.empty() ? std::string_view(identity.host) : std::string_view());
  });
}

std::vector<Rank> first_ranks(std::span<const int32_t> node_of_rank) {
  std::vector<Rank> ranks;
  std::unordered_set<int32_t> seen;
  for (size_t rank = 0; rank < node_of_rank.size(); ++rank)
    if (seen.insert(node_of_rank[rank]).second) ranks.push_back(static_cast<Rank>(rank));
  return ranks;
}

base::Result<std::vector<int32_t>> parse_nodes(std::string_view text, Rank rank_count) {
  std::vector<int32_t> nodes;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    int32_t node = 0;
    const auto [after, error] = std::from_chars(at, end, node);
    if (error != std::errc() || node < 0) {
      return malformed(text, fmt::format("entry {} is not a node number", nodes.size() + 1));
    }
    nodes.push_back(node);
    at = after;
    if (at == end) break;
    if (*at++ != ',') return malformed(text, fmt::format("no comma after entry {}", nodes.size()));
  }
  if (nodes.size() != static_cast<size_t>(rank_count)) {
    return malformed(text, fmt::format("{} entries for {} ranks", nodes.size(), rank_count));
  }
  return nodes;
}

Status check_nodes(std::span<const int32_t> node_of_rank, std::span<const NodeIdentity> identities) {
  if (node_of_rank.size() != identities.size()) {
    return Status::invalid_argument(
        fmt::format("node map: {} entries for {} ranks", node_of_rank.size(), identities.size()));
  }
  std::map<int32_t, size_t> first_of_node;
  for (size_t rank = 0; rank < node_of_rank.size(); ++rank) {
    const size_t first = first_of_node.try_emplace(node_of_rank[rank], rank).first->second;
    if (!share_node(identities[first], identities[rank])) {
      return Status::invalid_argument(fmt::format(
          "TUTTI_NODES puts ranks {} (on {}) and {} (on {}) on one node, but they cannot share memory", first,
          identities[first].host, rank, identities[rank].host));
    }
  }
  return {};
}

}  // namespace tutti::topology
