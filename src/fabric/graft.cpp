#include "fabric/graft.hpp"

namespace tutti::fabric {

Graft::Graft(const Fabric& fabric, const Forest& forest)
    : fabric_(fabric), forest_(forest), in_tree_(fabric.switch_count(), 0), seen_(fabric.switch_count(), 0) {}

bool Graft::build(TreeId tree, std::span<const SwitchId> terminals, TreeShape& shape) {
  const Tree& old = forest_.tree(tree);
  shape = old.shape;
  ++stamp_;
  for (const SwitchId at : old.shape.switches) in_tree_[at] = stamp_;
  for (const SwitchId at : terminals)
    if (in_tree_[at] != stamp_ && !reach_from(at, old.colour, shape)) return false;
  return true;
}

bool Graft::reach_from(SwitchId terminal, Colour colour, TreeShape& shape) {
  if (!forest_.colours().is_free(terminal, colour)) return false;
  ++search_stamp_;
  seen_[terminal] = search_stamp_;
  steps_.assign(1, {terminal, k_none, k_none});
  for (uint32_t head = 0; head < steps_.size(); ++head) {
    const SwitchId at = steps_[head].at;
    if (const Arc* arc = best_arc_to_tree(at)) {
      shape.links.push_back(arc->link);
      for (uint32_t step = head; step != k_none; step = steps_[step].from) {
        in_tree_[steps_[step].at] = stamp_;
        shape.switches.push_back(steps_[step].at);
        if (steps_[step].from != k_none) shape.links.push_back(steps_[step].link);
      }
      return true;
    }
    for (const Arc& arc : fabric_.arcs(at)) {
      if (seen_[arc.to] == search_stamp_ || !forest_.colours().is_free(arc.to, colour)) continue;
      seen_[arc.to] = search_stamp_;
      steps_.push_back({arc.to, head, arc.link});
    }
  }
  return false;
}

const Arc* Graft::best_arc_to_tree(SwitchId at) const {
  const Arc* best = nullptr;
  for (const Arc& arc : fabric_.arcs(at))
    if (in_tree_[arc.to] == stamp_ &&
        (best == nullptr || forest_.link_load(arc.link) < forest_.link_load(best->link)))
      best = &arc;
  return best;
}

}  // namespace tutti::fabric
