#include "fabric/bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace tutti::fabric {

namespace {

constexpr size_t k_most_balls = 24;  // number of switches around which balls are examined

uint32_t divided_up(uint64_t groups, uint64_t among) {
  return static_cast<uint32_t>((groups + among - 1) / among);
}

class Bounds {
 public:
  Bounds(const Fabric& fabric, const HopTable& hops, const GroupSet& groups, uint32_t limit)
      : fabric_(fabric),
        hops_(hops),
        limit_(limit),
        is_in_(fabric.switch_count(), 0),
        is_near_(fabric.switch_count(), 0) {
    result_.colours = {0, "no group has a member at a switch"};
    result_.efi = {0, "no group has members at two switches with cables"};
    result_.tfi = {1, "every group has a tree"};
    for (GroupId id = 0; id < groups.size(); ++id) {
      std::vector<SwitchId> terminals;
      for (const HostId member : groups.members(id))
        if (const SwitchId at = fabric.host(member).at; at != k_none) terminals.push_back(at);
      std::sort(terminals.begin(), terminals.end());
      terminals_.insert(terminals_.end(), terminals.begin(), std::unique(terminals.begin(), terminals.end()));
      first_.push_back(terminals_.size());
    }
  }

  LowerBounds run() {
    look_at_switches();
    for (const auto& [neighbours, set] : sets_of_equal_neighbours()) {
      if (set.size() < 2) continue;
      const std::string name = fmt::format("{} switches with the same neighbours as {:016x}", set.size(),
                                           fabric_.switch_node(set.front()).guid);
      look_at(set, name);
      std::vector<SwitchId> wider = set;
      wider.insert(wider.end(), neighbours.begin(), neighbours.end());
      look_at(wider, name + ", and these");
    }
    look_at_balls();
    return result_;
  }

 private:
  static void raise(LowerBound& bound, uint32_t value, const std::string& reason) {
    if (value > bound.value) bound = {value, reason};
  }

  /// Each group at a switch needs an entry; those with members elsewhere share its cables.
  void look_at_switches() {
    std::vector<uint32_t> at(fabric_.switch_count(), 0), beyond(fabric_.switch_count(), 0);
    for (size_t group = 0; group + 1 < first_.size(); ++group)
      for (size_t i = first_[group]; i < first_[group + 1]; ++i) {
        ++at[terminals_[i]];
        beyond[terminals_[i]] += first_[group + 1] - first_[group] > 1 ? 1 : 0;
      }
    for (SwitchId id = 0; id < fabric_.switch_count(); ++id) {
      const std::string name = fmt::format("switch {:016x}", fabric_.switch_node(id).guid);
      raise(result_.colours, at[id], fmt::format("{} groups have members at {}", at[id], name));
      if (limit_ > 0)
        raise(result_.tfi, divided_up(at[id], limit_),
              fmt::format("{} groups at {} in {} trees", at[id], name, limit_));
      const size_t cables = fabric_.arcs(id).size();
      if (cables > 0)
        raise(result_.efi, divided_up(beyond[id], cables),
              fmt::format("{} groups leave {} over {} cables", beyond[id], name, cables));
    }
  }

  std::map<std::vector<SwitchId>, std::vector<SwitchId>> sets_of_equal_neighbours() const {
    std::map<std::vector<SwitchId>, std::vector<SwitchId>> sets;
    for (SwitchId id = 0; id < fabric_.switch_count(); ++id) {
      std::vector<SwitchId> neighbours;
      for (const Arc& arc : fabric_.arcs(id)) neighbours.push_back(arc.to);
      std::sort(neighbours.begin(), neighbours.end());
      neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
      sets[neighbours].push_back(id);
    }
    return sets;
  }

  void look_at_balls() {
    const uint32_t step = std::max<uint32_t>(1, fabric_.switch_count() / k_most_balls);
    for (SwitchId centre = 0; centre < fabric_.switch_count(); centre += step) {
      std::vector<std::vector<SwitchId>> at_distance;
      for (SwitchId id = 0; id < fabric_.switch_count(); ++id) {
        const Hops distance = hops_.hops(id, centre);
        if (distance == k_unreachable) continue;
        if (distance >= at_distance.size()) at_distance.resize(distance + size_t{1});
        at_distance[distance].push_back(id);
      }
      std::vector<SwitchId> ball;
      for (size_t radius = 0; radius + 1 < at_distance.size(); ++radius) {
        ball.insert(ball.end(), at_distance[radius].begin(), at_distance[radius].end());
        if (radius > 0)
          look_at(ball,
                  fmt::format("{} switches around {:016x}", ball.size(), fabric_.switch_node(centre).guid));
      }
    }
  }

  void look_at(const std::vector<SwitchId>& set, const std::string& name) {
    ++stamp_;
    for (const SwitchId id : set) is_in_[id] = stamp_;
    uint64_t cables = 0, inner = 0, neighbours = 0;
    for (const SwitchId id : set)
      for (const Arc& arc : fabric_.arcs(id)) {
        if (is_in_[arc.to] == stamp_) {
          ++inner;
          continue;
        }
        ++cables;
        if (is_near_[arc.to] == stamp_) continue;
        is_near_[arc.to] = stamp_;
        ++neighbours;
      }
    if (cables == 0) return;
    uint64_t crossing = 0, within = 0;  // within: only at X, but at two switches of X
    for (size_t group = 0; group + 1 < first_.size(); ++group) {
      const auto begin = terminals_.begin() + static_cast<long>(first_[group]);
      const auto end = terminals_.begin() + static_cast<long>(first_[group + 1]);
      const auto count = std::count_if(begin, end, [&](SwitchId at) { return is_in_[at] == stamp_; });
      crossing += count > 0 && count < end - begin ? 1 : 0;
      within += inner == 0 && count > 1 && count == end - begin ? 1 : 0;
    }
    raise(result_.efi, divided_up(crossing, cables),
          fmt::format("{} groups leave {} over {} cables", crossing, name, cables));
    raise(result_.colours, divided_up(crossing + within, neighbours),
          fmt::format("{} groups of {} pass {} switches next to them", crossing + within, name, neighbours));
    if (limit_ > 0)
      raise(result_.tfi, divided_up(crossing + within, neighbours * limit_),
            fmt::format("{} groups of {} pass {} switches with {} entries each", crossing + within, name,
                        neighbours, limit_));
  }

  const Fabric& fabric_;
  const HopTable& hops_;
  uint32_t limit_;
  std::vector<SwitchId> terminals_;
  std::vector<size_t> first_{0};  // per group, and the end
  std::vector<uint32_t> is_in_, is_near_;
  uint32_t stamp_ = 0;
  LowerBounds result_;
};

}  // namespace

LowerBounds lower_bounds(const Fabric& fabric, const HopTable& hops, const GroupSet& groups,
                         uint32_t colour_limit) {
  return Bounds(fabric, hops, groups, colour_limit).run();
}

}  // namespace tutti::fabric
