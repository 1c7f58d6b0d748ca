#include "topology/cpu_shares.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

namespace tutti::topology {
namespace {

using base::CpuShare;

constexpr uint64_t k_whole = 1000;  // one unit, in thousandths
constexpr uint64_t k_unlimited = std::numeric_limits<uint64_t>::max() / 4;

/// A flow network and its maximum flow (Dinic 1970).
class Flow {
 public:
  using Node = uint32_t;

  Node add_node() {
    edges_of_.emplace_back();
    return static_cast<Node>(edges_of_.size() - 1);
  }
  /// Returns the index of the edge.
  size_t add_edge(Node from, Node to, uint64_t capacity) {
    edges_of_[from].push_back(edges_.size());
    edges_.push_back({to, capacity});
    edges_of_[to].push_back(edges_.size());
    edges_.push_back({from, 0});
    return edges_.size() - 2;
  }
  void maximise(Node source, Node sink) {
    while (find_levels(source, sink)) {
      next_.assign(edges_of_.size(), 0);
      while (push(source, sink, k_unlimited) > 0) {
      }
    }
  }
  bool is_full(size_t edge) const { return edges_[edge].left == 0; }
  /// After maximise(): whether another maximum flow has less flow on the full edge from `from` to `to`.
  bool can_lose(Node from, Node to) const {
    std::vector<bool> is_seen(edges_of_.size());
    std::queue<Node> open;
    open.push(from);
    is_seen[from] = true;
    while (!open.empty() && !is_seen[to]) {
      for (const size_t edge : edges_of_[open.front()]) {
        if (edges_[edge].left == 0 || is_seen[edges_[edge].to]) continue;
        is_seen[edges_[edge].to] = true;
        open.push(edges_[edge].to);
      }
      open.pop();
    }
    return is_seen[to];
  }

 private:
  struct Edge {
    Node to;
    uint64_t left;  // residual capacity; the next edge in edges_ is the reverse edge
  };

  bool find_levels(Node source, Node sink) {
    level_.assign(edges_of_.size(), k_no_level);
    std::queue<Node> open;
    open.push(source);
    level_[source] = 0;
    for (; !open.empty(); open.pop()) {
      for (const size_t edge : edges_of_[open.front()]) {
        if (edges_[edge].left == 0 || level_[edges_[edge].to] != k_no_level) continue;
        level_[edges_[edge].to] = level_[open.front()] + 1;
        open.push(edges_[edge].to);
      }
    }
    return level_[sink] != k_no_level;
  }
  uint64_t push(Node at, Node sink, uint64_t most) {
    if (at == sink) return most;
    for (size_t& next = next_[at]; next < edges_of_[at].size(); ++next) {
      const size_t edge = edges_of_[at][next];
      if (edges_[edge].left == 0 || level_[edges_[edge].to] != level_[at] + 1) continue;
      const uint64_t pushed = push(edges_[edge].to, sink, std::min(most, edges_[edge].left));
      if (pushed == 0) continue;
      edges_[edge].left -= pushed;
      edges_[edge ^ 1].left += pushed;
      return pushed;
    }
    return 0;
  }

  static constexpr uint32_t k_no_level = UINT32_MAX;
  std::vector<Edge> edges_;
  std::vector<std::vector<size_t>> edges_of_;
  std::vector<uint32_t> level_;
  std::vector<size_t> next_;
};

using Demand = std::function<uint32_t(const CpuUse&)>;  // number of units that a process needs
using Cores = std::function<uint32_t(uint32_t)>;        // maps a unit to its resource: its core, or itself

/// CPU time flows from the machine through nested groups to processes, and from processes to the cores that provide it.
/// Processes with equal units, innermost group and demand share one node.
class Distribution {
 public:
  Distribution(std::span<const CpuUse> all, const Demand& demand, const Cores& core_of) : core_of_(core_of) {
    for (const CpuUse& use : all) {
      const uint32_t units = demand(use);
      const auto [at, is_new] = kinds_.try_emplace(std::tuple(use.units, innermost(use), units));
      if (is_new) at->second = {.node = flow_.add_node(), .parent = group_of(use)};
      at->second.wanted += units * k_whole;
      kind_of_.push_back(&at->second);
    }
    for (auto& [key, kind] : kinds_) {
      kind.edge = flow_.add_edge(kind.parent, kind.node, kind.wanted);
      for (const Flow::Node core : cores_of(std::get<0>(key))) flow_.add_edge(kind.node, core, kind.wanted);
    }
    flow_.maximise(machine_, spent_);
    for (auto& [key, kind] : kinds_)
      kind.is_served = flow_.is_full(kind.edge) && !flow_.can_lose(kind.parent, kind.node);
  }

  /// Whether the process gets its full demand in every distribution of the units.
  bool serves(size_t process) const { return kind_of_[process]->is_served; }

 private:
  struct Kind {
    Flow::Node node = 0, parent = 0;
    uint64_t wanted = 0;
    size_t edge = 0;  // from parent to node
    bool is_served = false;
  };

  static uint64_t innermost(const CpuUse& use) { return use.quotas.empty() ? 0 : use.quotas.front().group; }

  /// The node of the process's innermost group.
  Flow::Node group_of(const CpuUse& use) {
    Flow::Node parent = machine_;
    for (auto quota = use.quotas.rbegin(); quota != use.quotas.rend(); ++quota) {
      const auto [at, is_new] = groups_.try_emplace(quota->group);
      if (is_new) {
        at->second = flow_.add_node();
        flow_.add_edge(parent, at->second, quota->milli_cpus);
      }
      parent = at->second;
    }
    return parent;
  }

  std::vector<Flow::Node> cores_of(const std::vector<uint32_t>& units) {
    std::vector<Flow::Node> nodes;
    for (const uint32_t unit : units) {
      const auto [at, is_new] = cores_.try_emplace(core_of_(unit));
      if (is_new) {
        at->second = flow_.add_node();
        flow_.add_edge(at->second, spent_, k_whole);
      }
      nodes.push_back(at->second);
    }
    std::ranges::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
  }

  const Cores& core_of_;
  Flow flow_;
  const Flow::Node machine_ = flow_.add_node(), spent_ = flow_.add_node();
  std::map<uint64_t, Flow::Node> groups_;
  std::map<uint32_t, Flow::Node> cores_;
  std::map<std::tuple<std::vector<uint32_t>, uint64_t, uint32_t>, Kind> kinds_;
  std::vector<const Kind*> kind_of_;  // by process
};

}  // namespace

CpuShares share_cpus(std::span<const CpuUse> all, std::span<const uint32_t> core_of_unit) {
  const Cores core_of = [&](uint32_t unit) { return unit < core_of_unit.size() ? core_of_unit[unit] : unit; };
  const Cores unit_itself = [](uint32_t unit) { return unit; };
  const auto count = [](size_t n) { return static_cast<uint32_t>(n); };
  const Demand for_each_thread = [&](const CpuUse& use) {
    return std::clamp(use.threads, 1u, std::max(1u, count(use.units.size())));
  };
  const Distribution cores(all, for_each_thread, core_of);
  const Distribution units(
      all, [](const CpuUse&) { return 1; }, unit_itself);
  const Distribution pairs(
      all, [](const CpuUse&) { return 2; }, core_of);
  CpuShares shares;
  for (size_t process = 0; process < all.size(); ++process) {
    shares.of_process.push_back(cores.serves(process)   ? CpuShare::own
                                : units.serves(process) ? CpuShare::crowded
                                                        : CpuShare::shared);
    shares.has_two_cores.push_back(pairs.serves(process));
  }
  return shares;
}

}  // namespace tutti::topology
