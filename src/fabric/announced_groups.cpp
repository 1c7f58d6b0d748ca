#include "fabric/announced_groups.hpp"

#include <algorithm>
#include <utility>

namespace tutti::fabric {

namespace {

/// Number of roots that are tried for a tree in a given colour, the least loaded first: each of them costs a search
/// of the whole fabric.
constexpr size_t k_most_roots_in_colour = 4;

bool contains(std::span<const SwitchId> switches, SwitchId id) {
  return std::ranges::find(switches, id) != switches.end();
}

/// Finds the parts of one fabric in another by GUIDs and ports.
class Translation {
 public:
  Translation(const Fabric& from, const Fabric& to) : from_(from), to_(to) {}

  SwitchId switch_of(SwitchId id) const { return to_.find_switch(from_.switch_node(id).guid); }

  LinkId link_of(LinkId id) const {
    const Link& old = from_.link(id);
    const SwitchId a = switch_of(old.a), b = switch_of(old.b);
    if (a == k_none || b == k_none) return k_none;
    const Peer peer = to_.peer(a, old.a_port), back = to_.peer(b, old.b_port);
    const bool is_same =
        peer.kind == Peer::Kind::link && back.kind == Peer::Kind::link && peer.index == back.index;
    return is_same ? peer.index : k_none;
  }

  std::vector<HostId> hosts_of(std::span<const HostId> hosts) const {
    std::vector<HostId> found;
    for (const HostId host : hosts)
      if (const HostId id = to_.find_host(from_.host(host).guid); id != k_none) found.push_back(id);
    return found;
  }

  /// False when a switch or a cable of the tree is gone.
  bool shape_of(const TreeShape& old, TreeShape& shape) const {
    shape = {.root = switch_of(old.root), .switches = {}, .links = {}};
    for (const SwitchId id : old.switches) shape.switches.push_back(switch_of(id));
    for (const LinkId id : old.links) shape.links.push_back(link_of(id));
    return !contains(shape.switches, k_none) && !contains(shape.links, k_none);
  }

 private:
  const Fabric& from_;
  const Fabric& to_;
};

}  // namespace

/// Places the group in a separate tree where the colour is free; otherwise in one tree merged with all trees
/// of the colour that block it. That is impossible only when the members are cut off.
void AnnouncedGroups::place(GroupId id, Colour colour) {
  const Unit unit = routing_.unit_of({id});
  const bool is_placed = !unit.terminals.empty() && (plant(unit, colour, k_most_roots_in_colour) ||
                                                     placement_.merging().merge_in(unit, colour, {}));
  if (!is_placed) routing_.cut_off(id, colour);
}

/// Plants the tree of the first of the least loaded roots that has one where the colour is free.
bool AnnouncedGroups::plant(const Unit& unit, Colour colour, size_t most_roots) {
  routing_.find_roots(unit.terminals, most_roots, routing_.next_turn(), roots_);
  for (const SwitchId root : roots_) {
    if (!dijkstra_.build({.colour = colour, .root = root, .terminals = unit.terminals}, shape_)) continue;
    routing_.plant(shape_, colour, unit.groups);
    return true;
  }
  return false;
}

base::Result<std::vector<GroupId>> AnnouncedGroups::disconnect(SwitchId id) {
  if (base::Status status = routing_.disconnect(id); !status) return status;
  std::vector<Tree> broken;
  for (TreeId tree = 0; tree < routing_.forest().tree_slots(); ++tree)
    if (contains(routing_.forest().tree(tree).shape.switches, id)) broken.push_back(routing_.fell(tree));
  std::vector<GroupId> changed;
  for (const Tree& tree : broken) {
    const Unit unit = routing_.unit_of(tree.groups);
    if (!unit.terminals.empty() && !plant(unit, tree.colour, 1)) placement_.place(unit);
    for (const GroupId group : tree.groups) {
      const Colour colour = routing_.colour_of(group);
      if (colour == k_no_colour) routing_.cut_off(group, tree.colour);
      if (colour != tree.colour) changed.push_back(group);
    }
  }
  return changed;
}

void AnnouncedGroups::update(GroupId id) {
  const Routing::Group& group = routing_.groups()[id];
  if (group.tree != k_none)
    grow(group.tree);
  else
    place(id, group.lost_colour);
}

/// Adapts a tree to its groups' members: adds new branches first, so that the old ones stay, then removes
/// branches that no group needs.
void AnnouncedGroups::grow(TreeId id) {
  const Tree& tree = routing_.forest().tree(id);
  const Unit unit = routing_.unit_of(tree.groups);
  const auto is_reached = [&](SwitchId at) { return contains(tree.shape.switches, at); };
  if (std::ranges::none_of(unit.terminals, is_reached)) {
    const Tree felled = routing_.fell(id);
    for (const GroupId group : felled.groups) place(group, felled.colour);
    return;
  }
  if (!std::ranges::all_of(unit.terminals, is_reached)) {
    if (dijkstra_.build({tree.colour, tree.shape.root, unit.terminals, {&id, 1}}, shape_))
      routing_.reshape(id, shape_);
    else if (!placement_.merging().merge_in({}, tree.colour, {id}))
      return;
  }
  routing_.prune(routing_.groups()[unit.groups.front()].tree);
}

void AnnouncedGroups::move_from(const Routing& old) {
  routing_.inherit(old);
  const Translation translation(old.fabric(), routing_.fabric());
  std::vector<std::pair<GroupId, Colour>> homeless;
  for (GroupId id = 0; id < old.groups().size(); ++id) {
    routing_.set_members(id, translation.hosts_of(old.groups()[id].members));
    if (old.groups()[id].exists && old.groups()[id].tree == k_none)
      homeless.emplace_back(id, old.groups()[id].lost_colour);
  }
  for (TreeId id = 0; id < old.forest().tree_slots(); ++id) {
    const Tree& tree = old.forest().tree(id);
    if (tree.groups.empty()) continue;
    TreeShape shape;
    const std::vector<SwitchId> terminals = routing_.terminals_of(tree.groups);
    const bool is_whole =
        translation.shape_of(tree.shape, shape) && !terminals.empty() &&
        std::ranges::all_of(terminals, [&](SwitchId at) { return contains(shape.switches, at); });
    if (is_whole)
      routing_.prune(routing_.plant(std::move(shape), tree.colour, tree.groups));
    else
      for (const GroupId group : tree.groups) homeless.emplace_back(group, tree.colour);
  }
  for (const auto& [group, colour] : homeless) place(group, colour);
}

}  // namespace tutti::fabric
