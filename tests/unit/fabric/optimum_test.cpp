// On tiny fabrics every routing can be tried: the router is never better than the optimum, bounds never exceed it,
// and the gap stays small.

#include <algorithm>
#include <bit>
#include <functional>
#include <set>

#include "base/random.hpp"
#include "fabric/bounds.hpp"
#include "fabric/root_search.hpp"
#include "tests/unit/fabric/support.hpp"

namespace tutti::fabric {
namespace {

using SwitchSet = uint32_t;  // a bit for each switch

/// Hops from `root` within a set of switches; k_unreachable where the set does not lead.
std::vector<Hops> hops_within(const Fabric& fabric, SwitchSet set, SwitchId root) {
  std::vector<Hops> hops(fabric.switch_count(), k_unreachable);
  std::vector<SwitchId> queue{root};
  hops[root] = 0;
  for (size_t head = 0; head < queue.size(); ++head)
    for (const Arc& arc : fabric.arcs(queue[head])) {
      if ((set >> arc.to & 1) == 0 || hops[arc.to] != k_unreachable) continue;
      hops[arc.to] = static_cast<Hops>(hops[queue[head]] + 1);
      queue.push_back(arc.to);
    }
  return hops;
}

/// All sets of switches on which a tree of least height for these terminals can stand, without those that
/// contain another: more switches never help to share colours.
std::vector<SwitchSet> places(const Fabric& fabric, const HopTable& table,
                              const std::vector<SwitchId>& terminals) {
  RootSearch search(table);
  std::vector<SwitchId> roots;
  const Hops radius = search.find(terminals, roots);
  SwitchSet needed = 0;
  for (const SwitchId at : terminals) needed |= SwitchSet{1} << at;
  std::vector<SwitchSet> all(size_t{1} << fabric.switch_count()), found;
  for (SwitchSet set = 0; set < all.size(); ++set) all[set] = set;
  std::stable_sort(all.begin(), all.end(),
                   [](SwitchSet a, SwitchSet b) { return std::popcount(a) < std::popcount(b); });
  for (const SwitchSet set : all) {
    if ((set & needed) != needed) continue;
    if (std::any_of(found.begin(), found.end(),
                    [&](SwitchSet smaller) { return (set & smaller) == smaller; }))
      continue;
    const bool is_place = std::any_of(roots.begin(), roots.end(), [&](SwitchId root) {
      if ((set >> root & 1) == 0) return false;
      const auto hops = hops_within(fabric, set, root);
      return std::all_of(terminals.begin(), terminals.end(), [&](SwitchId at) { return hops[at] <= radius; });
    });
    if (is_place) found.push_back(set);
  }
  return found;
}

/// The least number of colours for trees on one place of each group: all ways are tried.
uint32_t fewest_colours(const std::vector<std::vector<SwitchSet>>& choices) {
  for (uint32_t limit = 1;; ++limit) {
    std::vector<SwitchSet> taken(limit, 0);
    const std::function<bool(size_t)> fits = [&](size_t group) {
      if (group == choices.size()) return true;
      for (const SwitchSet place : choices[group])
        for (uint32_t colour = 0; colour < limit; ++colour) {
          if ((taken[colour] & place) != 0) continue;
          taken[colour] |= place;
          if (fits(group + 1)) return true;
          taken[colour] &= ~place;
          if (taken[colour] == 0) break;  // the next empty colour is like this one
        }
      return false;
    };
    if (fits(0)) return limit;
  }
}

TEST(Optimum, TheRouterIsNear) {
  uint32_t optima = 0, guided_sum = 0, paper_sum = 0;
  for (const char* description :
       {"fat-tree:ports=4,levels=2", "torus:size=3x3,hosts=1", "torus:size=4x2,hosts=1",
        "dragonfly:a=2,p=1,h=1", "random:switches=8,ports=4,hosts=1,seed=3"}) {
    const Fabric fabric = make(description);
    const auto hops = HopTable::compute(fabric, 1);
    ASSERT_TRUE(hops);
    for (uint64_t seed = 1; seed <= 6; ++seed) {
      base::Random random(seed);
      GroupSet groups;
      std::vector<std::vector<SwitchSet>> choices;
      for (int group = 0; group < 6; ++group) {
        std::set<SwitchId> terminals;
        std::vector<HostId> members;
        for (uint32_t count = 2 + random.below(2); members.size() < count;) {
          members.push_back(random.below(fabric.host_count()));
          terminals.insert(fabric.host(members.back()).at);
        }
        groups.add(numbered_mgid(groups.size()), members);
        choices.push_back(places(fabric, *hops, {terminals.begin(), terminals.end()}));
      }
      const uint32_t optimum = fewest_colours(choices);
      EXPECT_LE(lower_bounds(fabric, *hops, groups, 0).colours.value, optimum);
      const auto colours_of = [&](Method method) {
        Router router = Router::create(make(description), {.method = method, .seed = seed}).value();
        EXPECT_TRUE(router.join_all(groups));
        return verified(router, groups.size()).colours;
      };
      const uint32_t guided = colours_of(Method::guided), paper = colours_of(Method::paper);
      EXPECT_GE(guided, optimum);
      EXPECT_GE(paper, optimum);
      EXPECT_LE(guided, optimum + 2) << description << " seed " << seed;
      optima += optimum;
      guided_sum += guided;
      paper_sum += paper;
    }
  }
  // Over all cases the result is within a tenth of the optimum, and no worse than the paper's method.
  EXPECT_LE(guided_sum * 10, optima * 11);
  EXPECT_LE(guided_sum, paper_sum);
}

TEST(Bounds, OfBlueLight) {
  const Fabric fabric = make("bluelight");
  const auto hops = HopTable::compute(fabric, 2);
  ASSERT_TRUE(hops);
  const LowerBounds bounds = lower_bounds(fabric, *hops, groups_in(fabric, "grid:256x34"), 128);
  // 256 groups across all blocks and one within pass the 8 middles of a block.
  EXPECT_EQ(bounds.colours.value, 33u) << bounds.colours.reason;
  // 256 groups leave a block over 64 cables.
  EXPECT_EQ(bounds.efi.value, 4u) << bounds.efi.reason;
  EXPECT_EQ(bounds.tfi.value, 1u);
  const Fabric one = make("torus:size=1,hosts=4");
  for (const LowerBound& bound :
       {lower_bounds(one, HopTable::compute(one, 1).value(), groups_in(one, "grid:4"), 0).efi,
        lower_bounds(one, HopTable::compute(one, 1).value(), GroupSet{}, 0).colours}) {
    EXPECT_EQ(bound.value, 0u);
    EXPECT_NE(bound.reason, "");
  }
}

}  // namespace
}  // namespace tutti::fabric
