#include "fabric/routing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace tutti::fabric {

using base::Status;

namespace {

/// The hosts or switches in ascending order, without duplicates.
std::vector<uint32_t> in_order(std::vector<uint32_t> ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

/// The tree without the branches that no terminal needs (paper 004, section 3.3.3, algorithm 6): repeatedly
/// removes switches that have a single link and no member.
TreeShape pruned(const Fabric& fabric, TreeShape shape, std::span<const SwitchId> terminals) {
  std::unordered_map<SwitchId, std::vector<LinkId>> links;  // that are left, by switch
  for (const LinkId id : shape.links) {
    links[fabric.link(id).a].push_back(id);
    links[fabric.link(id).b].push_back(id);
  }
  const auto is_bare = [&](SwitchId id) {
    return links[id].size() <= 1 && !std::ranges::binary_search(terminals, id);
  };
  std::vector<SwitchId> ends;
  std::ranges::copy_if(shape.switches, std::back_inserter(ends), is_bare);
  while (!ends.empty()) {
    const SwitchId end = ends.back();
    ends.pop_back();
    if (links[end].empty()) continue;
    const Link& last = fabric.link(links[end].front());
    const SwitchId next = last.a == end ? last.b : last.a;
    std::erase(links[next], links[end].front());
    links[end].clear();
    if (is_bare(next)) ends.push_back(next);
  }
  std::erase_if(shape.switches, [&](SwitchId id) { return links[id].empty() && is_bare(id); });
  std::erase_if(shape.links, [&](LinkId id) {
    const auto& left = links[fabric.link(id).a];
    return std::ranges::find(left, id) == left.end();
  });
  if (std::ranges::find(shape.switches, shape.root) == shape.switches.end())
    shape.root = shape.switches.front();
  return shape;
}

}  // namespace

Routing::Routing(Fabric fabric, HopTable hops, const RouterOptions& options)
    : fabric_(std::move(fabric)),
      hops_(std::move(hops)),
      options_(options),
      forest_(fabric_, options.colour_limit == 0 ? k_none : options.colour_limit),
      root_search_(hops_) {}

size_t Routing::memory_bytes() const {
  size_t bytes = hops_.memory_bytes() + forest_.memory_bytes();
  for (const Group& group : groups_) bytes += sizeof group + group.members.capacity() * sizeof(HostId);
  return bytes;
}

Status Routing::check_members(std::span<const HostId> members) const {
  if (members.empty()) return Status::invalid_argument("a group without members");
  const HostNode& first = fabric_.host(members.front());
  for (const HostId member : members) {
    const HostNode& host = fabric_.host(member);
    if (host.at == k_none)
      return Status::invalid_argument(fmt::format("member {:016x} is not cabled to any switch", host.guid));
    if (hops_.hops(host.at, first.at) == k_unreachable)
      return Status::invalid_argument(
          fmt::format("members {:016x} and {:016x} are in parts of the fabric that are not connected",
                      first.guid, host.guid));
  }
  return {};
}

GroupId Routing::add_group(std::vector<HostId> members) {
  auto id = static_cast<GroupId>(groups_.size());
  if (unused_groups_.empty()) {
    groups_.emplace_back();
  } else {
    id = unused_groups_.back();
    unused_groups_.pop_back();
  }
  groups_[id] = {in_order(std::move(members)), k_none, true};
  return id;
}

void Routing::remove_group(GroupId id) {
  const TreeId tree = groups_[id].tree;
  if (tree != k_none && forest_.tree(tree).groups.size() == 1) {
    forest_.fell(tree);
  } else if (tree != k_none) {
    forest_.unshare(tree, id);
    prune(tree);
  }
  groups_[id] = {};
  unused_groups_.push_back(id);
}

void Routing::set_members(GroupId id, std::vector<HostId> members) {
  groups_[id].members = in_order(std::move(members));
}

Colour Routing::colour_of(GroupId id) const {
  const TreeId tree = groups_[id].tree;
  return tree == k_none ? k_no_colour : forest_.tree(tree).colour;
}

std::vector<SwitchId> Routing::terminals_of(std::span<const GroupId> ids) const {
  std::vector<SwitchId> terminals;
  for (const GroupId id : ids)
    for (const HostId member : groups_[id].members)
      if (const SwitchId at = fabric_.host(member).at;
          at != k_none && (terminals.empty() || terminals.back() != at))
        terminals.push_back(at);
  return in_order(std::move(terminals));
}

Unit Routing::unit_of(std::vector<GroupId> ids) const {
  Unit unit{std::move(ids), {}};
  unit.terminals = terminals_of(unit.groups);
  SwitchId anchor = k_none;
  for (size_t i = 0; i < unit.groups.size() && anchor == k_none; ++i)
    for (const HostId member : groups_[unit.groups[i]].members)
      if (anchor = fabric_.host(member).at; anchor != k_none) break;
  std::erase_if(unit.terminals, [&](SwitchId at) { return hops_.hops(at, anchor) == k_unreachable; });
  return unit;
}

TreeId Routing::plant(TreeShape shape, Colour colour, std::vector<GroupId> ids) {
  const TreeId tree = forest_.plant(std::move(shape), colour, std::move(ids));
  for (const GroupId id : forest_.tree(tree).groups) {
    groups_[id].tree = tree;
    groups_[id].lost_colour = k_no_colour;
  }
  return tree;
}

Tree Routing::fell(TreeId id) {
  Tree felled = forest_.fell(id);
  for (const GroupId group : felled.groups) groups_[group].tree = k_none;
  return felled;
}

void Routing::share(TreeId id, GroupId group) {
  forest_.share(id, group);
  groups_[group].tree = id;
}

void Routing::prune(TreeId id) {
  const Tree& tree = forest_.tree(id);
  const std::vector<SwitchId> terminals = terminals_of(tree.groups);
  const auto is_reached = [&](SwitchId at) {
    return std::ranges::find(tree.shape.switches, at) != tree.shape.switches.end();
  };
  if (std::ranges::any_of(terminals, is_reached))
    return forest_.reshape(id, pruned(fabric_, tree.shape, terminals));
  const Tree felled = fell(id);
  for (const GroupId group : felled.groups) cut_off(group, felled.colour);
}

Hops Routing::find_roots(std::span<const SwitchId> terminals, size_t most, uint64_t salt,
                         std::vector<SwitchId>& roots) {
  const Hops radius = find_roots(terminals, roots);
  sort_by_load(roots, most, salt);
  return radius;
}

void Routing::sort_by_load(std::vector<SwitchId>& roots, size_t most, uint64_t salt) const {
  std::vector<std::pair<uint64_t, SwitchId>> keyed;
  keyed.reserve(roots.size());
  for (const SwitchId id : roots)
    keyed.emplace_back(uint64_t{forest_.switch_load(id)} << 32 | base::mixed(salt ^ id) >> 32, id);
  const size_t kept = std::min(most, keyed.size());
  if (kept < keyed.size())
    std::nth_element(keyed.begin(), keyed.begin() + static_cast<long>(kept), keyed.end());
  std::sort(keyed.begin(), keyed.begin() + static_cast<long>(kept));
  roots.resize(kept);
  for (size_t i = 0; i < kept; ++i) roots[i] = keyed[i].second;
}

void Routing::restore(Trees trees) {
  reset();
  forest_ = std::move(trees.forest);
  counts_ = trees.counts;
  for (TreeId id = 0; id < forest_.tree_slots(); ++id)
    for (const GroupId group : forest_.tree(id).groups) groups_[group].tree = id;
}

void Routing::reset() {
  forest_ = Forest(fabric_, colours().limit());
  for (Group& group : groups_) group.tree = k_none;
  counts_ = {};
  turn_ = 0;
}

void Routing::clear() {
  reset();
  groups_.clear();
}

void Routing::inherit(const Routing& old) {
  while (colours().opened() < old.colours().opened()) open_colour();
  groups_ = old.groups_;
  for (Group& group : groups_) group.tree = k_none;
  unused_groups_ = old.unused_groups_;
  counts_ = old.counts_;
  turn_ = old.turn_;
}

Status Routing::disconnect(SwitchId id) {
  fabric_.disconnect(id);
  auto hops = HopTable::compute(fabric_, options_.threads);
  if (!hops) return hops.status();
  hops_ = std::move(hops).value();
  root_search_.forget();
  return {};
}

}  // namespace tutti::fabric
