#include "fabric/baselines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "fabric/dijkstra_tree.hpp"
#include "fabric/forest.hpp"
#include "fabric/opensm_sssp.hpp"
#include "fabric/root_search.hpp"

namespace tutti::fabric {

using base::Result;
using base::Status;

namespace {

class BaselineRouter {
 public:
  BaselineRouter(const Fabric& fabric, const HopTable& hops, const GroupSet& groups)
      : fabric_(fabric),
        hops_(hops),
        groups_(groups),
        search_(hops),
        forest_(fabric, k_none),
        dijkstra_(fabric, forest_) {}

  Result<MulticastTables> run(Baseline baseline) {
    for (GroupId id = 0; id < groups_.size(); ++id) {
      if (Status status = find_root(id); !status) return status;
      const auto colour = static_cast<Colour>(id);
      for (const HostId member : groups_.members(id))
        ports_.push_back({fabric_.host(member).at, colour, fabric_.host(member).at_port});
      if (baseline == Baseline::minihop_mc)
        branch(root_, terminals_, colour);
      else if (baseline == Baseline::sssp_opensm)
        follow_unicast(colour);
      else
        grow(colour);
    }
    return MulticastTables(fabric_.switch_count(), std::move(ports_));
  }

 private:
  Status find_root(GroupId id) {
    terminals_.clear();
    for (const HostId member : groups_.members(id)) {
      const HostNode& host = fabric_.host(member);
      if (host.at == k_none)
        return Status::invalid_argument(fmt::format("group {}: member {:016x} is not cabled to any switch",
                                                    to_string(groups_.mgid(id)), host.guid));
      terminals_.push_back(host.at);
    }
    if (terminals_.empty())
      return Status::invalid_argument(fmt::format("group {} has no members", to_string(groups_.mgid(id))));
    std::sort(terminals_.begin(), terminals_.end());
    terminals_.erase(std::unique(terminals_.begin(), terminals_.end()), terminals_.end());
    if (search_.find(terminals_, roots_) == k_unreachable)
      return Status::invalid_argument(
          fmt::format("group {}: its members are in parts of the fabric that are not connected",
                      to_string(groups_.mgid(id))));
    root_ = *std::ranges::min_element(roots_, {}, [&](SwitchId at) { return opensm_key(fabric_, at); });
    return {};
  }

  /// mcast_mgr_branch: assigns each member to the port that leads to it, and continues behind each port.
  void branch(SwitchId at, const std::vector<SwitchId>& members, Colour colour) {
    std::vector<std::pair<const Arc*, SwitchId>> parts;
    for (const SwitchId member : members) {
      if (member == at) continue;
      const Hops* row = hops_.row(member);
      const auto is_nearer = [&](const Arc& arc) { return row[arc.to] + 1 == row[at]; };
      parts.emplace_back(&*std::ranges::find_if(fabric_.arcs(at), is_nearer), member);
    }
    std::ranges::stable_sort(parts, {}, [](const auto& part) { return part.first; });
    for (size_t begin = 0, end; begin < parts.size(); begin = end) {
      const Arc& arc = *parts[begin].first;
      std::vector<SwitchId> behind;
      for (end = begin; end < parts.size() && parts[end].first == &arc; ++end)
        behind.push_back(parts[end].second);
      ports_.push_back({at, colour, arc.port});
      ports_.push_back({arc.to, colour, arc.to_port});
      branch(arc.to, behind, colour);
    }
  }

  void grow(Colour colour) {
    const Colour opened = forest_.open_colour();
    TreeShape shape;
    dijkstra_.build({.colour = opened, .root = root_, .terminals = terminals_}, shape);
    for (const LinkId id : shape.links) {
      const Link& link = fabric_.link(id);
      ports_.push_back({link.a, colour, link.a_port});
      ports_.push_back({link.b, colour, link.b_port});
    }
    forest_.plant(std::move(shape), opened, {colour});
  }

  /// update_mcft: from every member's switch back to the root.
  void follow_unicast(Colour colour) {
    if (!sssp_) sssp_.emplace(fabric_);
    sssp_->run_from(root_);
    for (SwitchId at : terminals_)
      for (auto step = sssp_->way_to(at); step.arc != nullptr; at = step.from, step = sssp_->way_to(at)) {
        ports_.push_back({step.from, colour, step.arc->port});
        ports_.push_back({at, colour, step.arc->to_port});
      }
  }

  const Fabric& fabric_;
  const HopTable& hops_;
  const GroupSet& groups_;
  std::optional<OpensmSssp> sssp_;
  RootSearch search_;
  Forest forest_;
  DijkstraTree dijkstra_;
  std::vector<SwitchId> terminals_, roots_;
  SwitchId root_ = k_none;
  std::vector<TablePort> ports_;
};

}  // namespace

Result<MulticastTables> route_baseline(Baseline baseline, const Fabric& fabric, const HopTable& hops,
                                       const GroupSet& groups) {
  return BaselineRouter(fabric, hops, groups).run(baseline);
}

std::vector<uint32_t> count_efi(const Fabric& fabric, const MulticastTables& tables) {
  std::vector<uint32_t> efi(fabric.link_count(), 0);
  for (const TablePort& port : tables.all()) {
    const Peer peer = fabric.peer(port.at, port.port);
    if (peer.kind == Peer::Kind::link && fabric.link(peer.index).a == port.at) ++efi[peer.index];
  }
  return efi;
}

}  // namespace tutti::fabric
