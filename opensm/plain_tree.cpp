#include "plain_tree.hpp"

namespace tutti::opensm {

using fabric::Arc;
using fabric::Fabric;
using fabric::HostId;
using fabric::k_none;
using fabric::SwitchId;
using fabric::TablePort;

namespace {

/// Breadth-first search from one switch: records how each other switch is reached.
class Wave {
 public:
  Wave(const Fabric& fabric, SwitchId root)
      : way_(fabric.switch_count(), nullptr), before_(way_.size(), k_none) {
    order_ = {root};
    before_[root] = root;
    for (size_t head = 0; head < order_.size(); ++head)
      for (const Arc& arc : fabric.arcs(order_[head])) {
        if (before_[arc.to] != k_none) continue;
        before_[arc.to] = order_[head];
        way_[arc.to] = &arc;
        order_.push_back(arc.to);
      }
  }

  bool reaches(SwitchId id) const { return before_[id] != k_none; }
  /// The switch before `id`, and the arc from there; for the root: itself, and no arc.
  SwitchId before(SwitchId id) const { return before_[id]; }
  const Arc* way(SwitchId id) const { return way_[id]; }

  /// The one of these that is reached last.
  SwitchId farthest(const std::vector<SwitchId>& terminals) const {
    std::vector<uint8_t> is_wanted(before_.size(), 0);
    for (const SwitchId id : terminals) is_wanted[id] = 1;
    SwitchId last = order_.front();
    for (const SwitchId id : order_)
      if (is_wanted[id] != 0) last = id;
    return last;
  }

  SwitchId middle_of_way_to(SwitchId id) const {
    SwitchId middle = id;
    for (bool is_second = false; way_[id] != nullptr; id = before_[id], is_second = !is_second)
      if (is_second) middle = before_[middle];
    return middle;
  }

 private:
  std::vector<const Arc*> way_;
  std::vector<SwitchId> before_, order_;
};

}  // namespace

std::vector<TablePort> plain_tree(const Fabric& fabric, const std::vector<HostId>& members,
                                  fabric::Colour colour) {
  std::vector<SwitchId> terminals;
  for (const HostId member : members)
    if (fabric.host(member).at != k_none) terminals.push_back(fabric.host(member).at);
  if (terminals.empty()) return {};
  const SwitchId end = Wave(fabric, terminals.front()).farthest(terminals);
  const Wave across(fabric, end);
  const Wave wave(fabric, across.middle_of_way_to(across.farthest(terminals)));

  std::vector<TablePort> ports;
  std::vector<uint8_t> is_done(fabric.switch_count(), 0);
  for (SwitchId id : terminals) {
    if (!wave.reaches(id)) continue;
    for (; is_done[id] == 0; id = wave.before(id)) {
      is_done[id] = 1;
      const Arc* arc = wave.way(id);
      if (arc == nullptr) break;
      ports.push_back({wave.before(id), colour, arc->port});
      ports.push_back({id, colour, arc->to_port});
    }
  }
  for (const HostId member : members)
    if (const auto& host = fabric.host(member); host.at != k_none && wave.reaches(host.at))
      ports.push_back({host.at, colour, host.at_port});
  return ports;
}

}  // namespace tutti::opensm
