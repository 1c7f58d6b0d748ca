#include "arrival/broadcast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

namespace tutti::arrival {

using base::Status;

namespace {

constexpr double k_longest_transfer_ns = 1e12;

bool is_time(double ns) {
  return ns >= 0 && ns <= k_longest_transfer_ns;
}

/// Simulates one broadcast at a time; process i is on node i / members.
class Tree {
 public:
  explicit Tree(const Broadcast& of)
      : of_(of),
        members_(of.processes / of.nodes),
        arrivals_(of.processes),
        exits_(of.processes),
        nodes_(of.nodes) {}

  void run(const Pattern& pattern, uint64_t seed, uint32_t trial) {
    for (uint32_t rank = 0; rank < of_.processes; ++rank)
      arrivals_[rank] = delay_ns(pattern, seed, {rank, of_.processes}, trial);
    for (uint32_t node = 0; node < of_.nodes; ++node) choose_leader(node);
    const bool is_agent = of_.leader == Leader::agent;
    nodes_[0].has_data = arrivals_[0] + (is_agent ? of_.local_ns : 0);
    for (uint32_t node = 0; node < of_.nodes; ++node) {
      const double done = send_on(node);
      for (uint32_t rank = node * members_; rank < (node + 1) * members_; ++rank)
        exits_[rank] = std::max(nodes_[node].has_data, arrivals_[rank]) + of_.local_ns;
      if (!is_agent) exits_[nodes_[node].leader] = done;
    }
    if (is_agent) exits_[0] = nodes_[0].has_data;
  }

  const std::vector<double>& arrivals() const { return arrivals_; }
  const std::vector<double>& exits() const { return exits_; }

 private:
  struct Node {
    uint32_t leader = 0;
    double is_ready = 0, has_data = 0;
  };

  void choose_leader(uint32_t node) {
    const auto first = arrivals_.begin() + ptrdiff_t{node} * members_;
    const auto leader =
        node > 0 && of_.leader == Leader::first ? std::min_element(first, first + members_) : first;
    nodes_[node].leader = static_cast<uint32_t>(leader - arrivals_.begin());
    nodes_[node].is_ready = of_.leader == Leader::agent ? 0 : *leader;
  }

  /// Sends from a node that has the data, to the largest subtree first. Returns the end of the last message.
  double send_on(uint32_t node) {
    const uint32_t below = node == 0 ? std::bit_ceil(of_.nodes) : node & (0 - node);
    double now = nodes_[node].has_data;
    for (uint32_t distance = below / 2; distance > 0; distance /= 2) {
      if (node + distance >= of_.nodes) continue;
      Node& peer = nodes_[node + distance];
      now = peer.has_data = std::max(now, peer.is_ready) + of_.transfer_ns;
    }
    return now;
  }

  const Broadcast& of_;
  uint32_t members_;
  std::vector<double> arrivals_, exits_;
  std::vector<Node> nodes_;
};

Estimate greatest(const std::vector<Sampling>& all) {
  Estimate most = all.front().estimate();
  for (const Sampling& one : all)
    if (const Estimate estimate = one.estimate(); estimate.value > most.value) most = estimate;
  return most;
}

}  // namespace

std::string_view to_string(Leader leader) {
  return leader == Leader::fixed ? "fixed" : leader == Leader::first ? "first" : "agent";
}

Status check(const Broadcast& of) {
  if (of.processes < 1 || of.processes > k_most_processes)
    return Status::invalid_argument(
        fmt::format("processes: 1 to {}, not {}", k_most_processes, of.processes));
  if (of.nodes < 1 || of.processes % of.nodes != 0)
    return Status::invalid_argument(
        fmt::format("{} processes cannot be dealt out evenly to {} nodes", of.processes, of.nodes));
  if (!is_time(of.transfer_ns) || !is_time(of.local_ns))
    return Status::invalid_argument("a transfer takes 0 to 1000 s");
  return {};
}

BroadcastTimes sampled_times(const Broadcast& of, const Pattern& arrivals, uint32_t trials, uint64_t seed) {
  Tree tree(of);
  std::vector<Sampling> inside(of.processes), unavoidable(of.processes);
  Sampling mean, after_last, floor_mean;
  for (uint32_t trial = 0; trial < trials; ++trial) {
    tree.run(arrivals, seed, trial);
    const auto &came = tree.arrivals(), &left = tree.exits();
    double sum = 0, floor_sum = 0;
    for (uint32_t rank = 0; rank < of.processes; ++rank) {
      const double time = left[rank] - came[rank], wait = std::max(came[0] - came[rank], 0.0);
      inside[rank].add(time);
      unavoidable[rank].add(wait);
      sum += time;
      floor_sum += wait;
    }
    mean.add(sum / of.processes);
    floor_mean.add(floor_sum / of.processes);
    after_last.add(*std::max_element(left.begin(), left.end()) - *std::max_element(came.begin(), came.end()));
  }
  return {greatest(inside), mean.estimate(), after_last.estimate(), greatest(unavoidable),
          floor_mean.estimate()};
}

}  // namespace tutti::arrival
