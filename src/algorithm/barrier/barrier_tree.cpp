// Tree barrier (Mellor-Crummey, Scott, ACM TOCS 1991, §3.4): signals are gathered along a k-nomial tree to rank 0, and
// a release is broadcast along the same tree.
//
//   radix 2, 4 ranks        gather   3 ─► 2, 1 ─► 0    2 ─► 0
//                           release  0 ─► 2, 0 ─► 1    2 ─► 3
//
// Rounds 2·height of the tree (at most 2·⌈log_radix p⌉), no bytes; 2(p-1) messages in total, compared with p·⌈log p⌉ of
// dissemination.

#include "algorithm/applicability.hpp"
#include "algorithm/parameters.hpp"
#include "algorithm/phase_tree.hpp"

namespace tutti::algorithm {
namespace {

using pattern::KnomialTree;

constexpr Parameter k_parameters[] = {radix_parameter(4)};

BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet& parameters) {
  const TreePlace place = tree_place(tree_of<KnomialTree>(request, parameters), ranks_from(0, request, me));
  ScheduleBuilder builder;
  TaskIds here;
  for (const Peer& child : place.children) here.push_back(builder.await(child));
  if (!place.is_root()) {
    builder.notify(place.parent, here);
    here = {builder.await(place.parent)};
  }
  // The largest subtree is the deepest and is released first.
  for (auto child = place.children.rbegin(); child != place.children.rend(); ++child)
    builder.notify(*child, here);
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet& parameters) {
  return {2 * tree_of<KnomialTree>(request, parameters).height(), 0};
}

}  // namespace

extern const Algorithm barrier_tree = {
    .name = "tree",
    .summary = "signals go up a k-nomial tree, a release comes down",
    .source = "Mellor-Crummey, Scott 1991",
    .collective = Collective::barrier,
    .parameters = k_parameters,
    .applies = applies_always,
    .build = build,
    .cost = cost,
};

}  // namespace tutti::algorithm
