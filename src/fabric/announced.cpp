// Groups whose colour has been announced to their members and therefore must not change: under changes of
// membership, after a restart, and when the fabric changes.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/random.hpp"
#include "fabric/router_state.hpp"

namespace tutti::fabric {

using base::Code;
using base::Result;
using base::Status;

namespace {

/// Number of roots that are tried for a tree in a given colour, the least loaded first.
constexpr size_t k_most_roots_in_colour = 4;

bool contains(std::span<const SwitchId> switches, SwitchId id) {
  return std::find(switches.begin(), switches.end(), id) != switches.end();
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
    std::sort(found.begin(), found.end());
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

/// Places the unit in a separate tree where the colour is free; otherwise in one tree merged with all trees
/// of the colour that block it. False only when the members are cut off.
bool Router::State::place_in(const Unit& unit, Colour colour) {
  if (unit.terminals.empty() || root_search.find(unit.terminals, roots) == k_unreachable) return false;
  ++placed;
  sort_by_load(roots, k_most_roots_in_colour, base::mixed(options.seed ^ placed));
  for (const SwitchId root : roots) {
    if (!dijkstra.build({.colour = colour, .root = root, .terminals = unit.terminals, .merged = {}}, shape))
      continue;
    install_tree(shape, colour, unit.groups);
    return true;
  }
  std::vector<TreeId> merged;
  add_trees_in_the_way(unit, colour, merged);
  if (!build_merged(with_trees(unit, merged), colour, merged, best_shape)) return false;
  commit_merge(unit, colour, merged, best_shape);
  return true;
}

void Router::State::place_again(GroupId id, Colour colour) {
  groups[id].lost_colour = place_in(unit_of({id}), colour) ? k_no_colour : colour;
}

void Router::State::cut_off(TreeId id) {
  const Tree felled = forest.fell(id);
  for (const GroupId group : felled.groups) {
    groups[group].tree = k_none;
    groups[group].lost_colour = felled.colour;
  }
}

/// Adapts a tree to its groups' members: adds new branches first, so that the old ones stay, then removes
/// branches that no group needs.
void Router::State::grow(TreeId id) {
  const Colour colour = forest.tree(id).colour;
  const Unit unit = unit_of(forest.tree(id).groups);
  if (unit.terminals.empty()) return cut_off(id);
  const auto& switches = forest.tree(id).shape.switches;
  const auto is_reached = [&](SwitchId at) { return contains(switches, at); };
  if (std::none_of(unit.terminals.begin(), unit.terminals.end(), is_reached)) {
    const Tree felled = forest.fell(id);
    for (const GroupId group : felled.groups) groups[group].tree = k_none;
    for (const GroupId group : felled.groups) place_again(group, felled.colour);
    return;
  }
  if (!std::all_of(unit.terminals.begin(), unit.terminals.end(), is_reached)) {
    std::vector<TreeId> merged{id};
    const SwitchId root = forest.tree(id).shape.root;
    if (dijkstra.build({colour, root, unit.terminals, merged, MergeStrategy::keep}, shape)) {
      forest.reshape(id, shape);
    } else {
      add_trees_in_the_way(unit, colour, merged);
      const Unit whole = with_trees({}, merged);
      if (!build_merged(whole, colour, merged, best_shape)) return;
      commit_merge({}, colour, merged, best_shape);
      id = groups[unit.groups.front()].tree;
    }
  }
  prune(id);
}

void Router::State::append_ports(TreeId id, std::vector<TablePort>& ports) const {
  const Tree& tree = forest.tree(id);
  for (const LinkId link_id : tree.shape.links) {
    const Link& link = fabric.link(link_id);
    ports.push_back({link.a, tree.colour, link.a_port});
    ports.push_back({link.b, tree.colour, link.b_port});
  }
  for (const GroupId group : tree.groups)
    for (const HostId member : groups[group].members)
      if (const HostNode& host = fabric.host(member);
          host.at != k_none && forest.colours().tree_at(host.at, tree.colour) == id)
        ports.push_back({host.at, tree.colour, host.at_port});
}

Result<GroupId> Router::join_in(Colour colour, std::vector<HostId> members) {
  if (Status status = state_->check_members(members); !status) return status;
  if (colour > state_->forest.colours().opened() ||
      (colour == state_->forest.colours().opened() && state_->forest.colours().is_full()))
    return Status(Code::out_of_memory, fmt::format("colour {} is beyond the limit", colour));
  if (colour == state_->forest.colours().opened()) state_->forest.open_colour();
  const GroupId id = state_->new_group(std::move(members));
  state_->place_again(id, colour);
  return id;
}

Status Router::change_members(GroupId id, std::vector<HostId> members) {
  if (!has(id)) return Status::not_found(fmt::format("there is no group {}", id));
  if (members.empty()) return Status::invalid_argument("a group without members");
  State::Group& group = state_->groups[id];
  group.members = State::in_order(std::move(members));
  if (group.tree != k_none)
    state_->grow(group.tree);
  else
    state_->place_again(id, group.lost_colour);
  return {};
}

Status Router::change_fabric(Fabric fabric) {
  auto hops = HopTable::compute(fabric, state_->options.threads);
  if (!hops) return hops.status();
  auto next = std::make_unique<State>(std::move(fabric), std::move(hops).value(), state_->options);
  const State& old = *state_;
  const Translation translation(old.fabric, next->fabric);
  while (next->forest.colours().opened() < old.forest.colours().opened()) next->forest.open_colour();
  next->counts = old.counts;
  next->placed = old.placed;
  next->unused_groups = old.unused_groups;
  next->groups = old.groups;
  for (State::Group& group : next->groups) {
    group.members = translation.hosts_of(group.members);
    group.tree = k_none;
  }

  std::vector<std::pair<GroupId, Colour>> homeless;
  for (GroupId id = 0; id < old.groups.size(); ++id)
    if (old.groups[id].exists && old.groups[id].tree == k_none)
      homeless.emplace_back(id, old.groups[id].lost_colour);
  for (TreeId id = 0; id < old.forest.tree_slots(); ++id) {
    const Tree& tree = old.forest.tree(id);
    if (tree.groups.empty()) continue;
    TreeShape shape;
    const std::vector<SwitchId> terminals = next->terminals_of(tree.groups);
    const bool is_whole = translation.shape_of(tree.shape, shape) && !terminals.empty() &&
                          std::all_of(terminals.begin(), terminals.end(),
                                      [&](SwitchId at) { return contains(shape.switches, at); });
    if (is_whole) {
      next->install_tree(std::move(shape), tree.colour, tree.groups);
      next->prune(next->groups[tree.groups.front()].tree);
    } else {
      for (const GroupId group : tree.groups) homeless.emplace_back(group, tree.colour);
    }
  }
  for (const auto& [group, colour] : homeless) next->place_again(group, colour);
  state_ = std::move(next);
  return {};
}

void Router::append_ports(Colour colour, std::vector<TablePort>& ports) const {
  for (TreeId id = 0; id < state_->forest.tree_slots(); ++id)
    if (const Tree& tree = state_->forest.tree(id); !tree.groups.empty() && tree.colour == colour)
      state_->append_ports(id, ports);
}

}  // namespace tutti::fabric
