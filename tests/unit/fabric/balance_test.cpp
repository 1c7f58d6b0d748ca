// Groups that are planned together load the heaviest cable less than the same groups, in the same order, one
// by one.

#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/unit/fabric/support.hpp"

namespace tutti::fabric {
namespace {

struct Load {
  uint32_t together, thoroughly, one_by_one;
  uint32_t colours_together, colours_one_by_one;
};

/// Without limit, so that both place the same trees before the first balances them.
Load load_of(const char* fabric_name, const char* groups_name) {
  const Fabric fabric = make(fabric_name);
  const GroupSet set = groups_in(fabric, groups_name);
  Router together = Router::create(make(fabric_name), {}).value();
  Router thoroughly = Router::create(make(fabric_name), {.effort = Effort::thorough}).value();
  EXPECT_TRUE(together.join_all(set) && thoroughly.join_all(set));

  std::vector<GroupId> order(set.size());
  std::iota(order.begin(), order.end(), 0);
  const auto switches_of = [&](GroupId id) {
    std::vector<SwitchId> at;
    for (const HostId member : set.members(id)) at.push_back(fabric.host(member).at);
    std::sort(at.begin(), at.end());
    return std::unique(at.begin(), at.end()) - at.begin();
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](GroupId a, GroupId b) { return switches_of(a) > switches_of(b); });
  Router one_by_one = Router::create(make(fabric_name), {}).value();
  for (const GroupId id : order)
    EXPECT_TRUE(one_by_one.join({set.members(id).begin(), set.members(id).end()}));

  const RoutingMetrics a = verified(together, set.size()), b = verified(one_by_one, set.size());
  return {a.max_efi, verified(thoroughly, set.size()).max_efi, b.max_efi, a.colours, b.colours};
}

TEST(RouterBalance, TheHeaviestCableCarriesNoMoreAndOftenLess) {
  constexpr const char* k_cases[][2] = {
      {"fat-tree:ports=8", "grid:8x16"},
      {"fat-tree:ports=8", "random:groups=60,size=6,seed=1"},
      {"torus:size=4x4x2,hosts=2", "grid:8x8"},
      {"torus:size=5x4x3,hosts=1", "random:groups=40,size=5,seed=2"},
      {"dragonfly:a=4,p=2,h=2", "grid:8x9"},
      {"random:switches=24,ports=8,hosts=3,seed=4", "grid:8x9"},
      {"dragonfly:a=4,p=2,h=2", "random:groups=60,size=6,seed=3"},
      {"random:switches=24,ports=8,hosts=3,seed=4", "random:groups=60,size=6,seed=5"}};
  int lighter = 0;
  for (const auto& [fabric, groups] : k_cases) {
    SCOPED_TRACE(testing::Message() << fabric << " " << groups);
    const Load load = load_of(fabric, groups);
    EXPECT_LE(load.together, load.one_by_one);
    EXPECT_LE(load.thoroughly, load.one_by_one);
    EXPECT_EQ(load.colours_together, load.colours_one_by_one);
    lighter += load.together < load.one_by_one ? 1 : 0;
  }
  EXPECT_GE(lighter, 2);
}

}  // namespace
}  // namespace tutti::fabric
