// Distance between a group and trees (paper 004, formula 1).
//
// The formula is missing in the text of the paper. According to its description it is the mean, over the
// members of both, of the shortest distance from a member to the members of the other:
//
//   d(A, B) = ( Σ_{a in A} min_{b in B} d(a, b) + Σ_{b in B} min_{a in A} d(a, b) ) / (|A| + |B|)
//
// A are the switches of the group's members, B the switches of the tree.

#include <algorithm>
#include <thread>

#include "fabric/router_state.hpp"

namespace tutti::fabric {

namespace {

/// Formula (1) for one group and any number of trees.
class Similarity {
 public:
  Similarity(const HopTable& hops, std::span<const SwitchId> terminals) : hops_(hops), terminals_(terminals) {
    near_.assign(hops.row(terminals.front()), hops.row(terminals.front()) + hops.switch_count());
    for (const SwitchId at : terminals) {
      const Hops* row = hops.row(at);
      for (size_t i = 0; i < near_.size(); ++i) near_[i] = std::min(near_[i], row[i]);
    }
  }

  /// The distance, or any value that is at least `enough` as soon as the distance cannot be less.
  double distance(std::span<const SwitchId> tree, double enough) const {
    const auto count = static_cast<double>(tree.size() + terminals_.size());
    uint64_t sum = 0;
    for (const SwitchId at : tree) sum += near_[at];
    if (static_cast<double>(sum) >= enough * count) return enough;
    for (const SwitchId at : terminals_) {
      const Hops* row = hops_.row(at);
      Hops least = k_unreachable;
      for (const SwitchId to : tree) least = std::min(least, row[to]);
      sum += least;
    }
    return static_cast<double>(sum) / count;
  }

 private:
  const HopTable& hops_;
  std::span<const SwitchId> terminals_;
  std::vector<Hops> near_;  // from each switch to the nearest terminal
};

struct Nearest {
  double distance = 1e9;
  TreeId tree = k_none;
};

}  // namespace

/// Ties go to the lowest number, for any number of threads.
TreeId Router::State::most_similar(const Unit& unit) const {
  const Similarity similarity(hops, unit.terminals);
  const unsigned threads = std::max(options.threads, 1u);
  std::vector<Nearest> nearest(threads);
  const auto look = [&](unsigned part) {
    for (TreeId id = part; id < forest.tree_slots(); id += threads) {
      const Tree& tree = forest.tree(id);
      if (tree.groups.empty()) continue;
      const double distance = similarity.distance(tree.shape.switches, nearest[part].distance);
      if (distance < nearest[part].distance) nearest[part] = {distance, id};
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (unsigned part = 1; part < threads; ++part) helpers.emplace_back(look, part);
    look(0);
  }
  return std::min_element(nearest.begin(), nearest.end(),
                          [](const Nearest& a, const Nearest& b) {
                            return std::pair{a.distance, a.tree} < std::pair{b.distance, b.tree};
                          })
      ->tree;
}

/// Trees that use a colour at most of the group's switches: likely the nearest ones, found without inspecting
/// all trees.
std::vector<TreeId> Router::State::overlapping(const Unit& unit, size_t most) const {
  std::vector<TreeId> seen;
  for (const SwitchId at : unit.terminals)
    for (Colour colour = 0; colour < forest.colours().opened(); ++colour)
      if (const TreeId tree = forest.colours().tree_at(at, colour); tree != k_none) seen.push_back(tree);
  std::sort(seen.begin(), seen.end());
  struct Candidate {
    uint64_t cost;
    TreeId tree;
    auto operator<=>(const Candidate&) const = default;
  };
  std::vector<Candidate> candidates;
  for (size_t begin = 0, end; begin < seen.size(); begin = end) {
    for (end = begin; end < seen.size() && seen[end] == seen[begin];) ++end;
    const Tree& tree = forest.tree(seen[begin]);
    // Estimated sum of groups over all cables of the merged tree: every group of it counts on every link, and
    // each switch that the tree lacks takes about two more links. This cost keeps trees small and shared by
    // few groups.
    const uint64_t missing = unit.terminals.size() - (end - begin);
    const uint64_t cost = (tree.shape.links.size() + 2 * missing) * (tree.groups.size() + unit.groups.size());
    candidates.push_back({cost, seen[begin]});
  }
  std::sort(candidates.begin(), candidates.end());
  std::vector<TreeId> result;
  for (const Candidate& candidate : candidates) {
    if (result.size() == most) break;
    result.push_back(candidate.tree);
  }
  return result;
}

}  // namespace tutti::fabric
