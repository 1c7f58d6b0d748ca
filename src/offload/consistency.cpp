#include "offload/consistency.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::offload {

using base::Status;

namespace {

bool has(std::span<const Round> rounds, size_t number, std::vector<NodeId> Round::*peers, NodeId peer) {
  if (number >= rounds.size()) return false;
  const std::vector<NodeId>& list = rounds[number].*peers;
  return std::find(list.begin(), list.end(), peer) != list.end();
}

Status check_same(const Descriptor& d, const Descriptor& first, size_t rank) {
  if (d.rank != rank)
    return Status::invalid_argument(fmt::format("descriptor {} is that of rank {}", rank, d.rank));
  const bool is_same = d.kind == first.kind && d.barrier_id == first.barrier_id && d.epoch == first.epoch &&
                       d.nodes == first.nodes && d.op == first.op && d.type == first.type &&
                       d.element_count == first.element_count;
  if (is_same) return {};
  return Status::invalid_argument(
      fmt::format("the descriptors of rank {} and rank 0 are of different collectives", rank));
}

Status check_messages(std::span<const Descriptor> all, const Descriptor& d) {
  for (size_t r = 0; r < d.rounds.size(); ++r) {
    for (const NodeId to : d.rounds[r].sends)
      if (!has(all[to].rounds, r, &Round::receives, d.rank))
        return Status::invalid_argument(
            fmt::format("rank {} signals rank {} in round {}, which does not wait for it", d.rank, to, r));
    for (const NodeId from : d.rounds[r].receives)
      if (!has(all[from].rounds, r, &Round::sends, d.rank))
        return Status::invalid_argument(
            fmt::format("rank {} waits for rank {} in round {}, which does not signal it", d.rank, from, r));
  }
  return {};
}

}  // namespace

Status check_consistency(std::span<const Descriptor> all) {
  if (all.empty()) return Status::invalid_argument("there are no descriptors");
  if (all.size() != all.front().nodes)
    return Status::invalid_argument(
        fmt::format("{} descriptors for {} nodes", all.size(), all.front().nodes));
  for (size_t rank = 0; rank < all.size(); ++rank) {
    if (auto status = check(all[rank]); !status)
      return Status::invalid_argument(fmt::format("rank {}: {}", rank, status.message()));
    if (auto status = check_same(all[rank], all.front(), rank); !status) return status;
  }
  for (const Descriptor& d : all)
    if (auto status = check_messages(all, d); !status) return status;
  return {};
}

}  // namespace tutti::offload
