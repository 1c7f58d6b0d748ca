// Groups that are planned together load the heaviest cable less and need fewer colours than the same groups,
// in the same order, one by one.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "tests/unit/fabric/support.hpp"

namespace tutti::fabric {
namespace {

struct Cost {
  RoutingMetrics together, thoroughly, one_by_one;
};

/// Uses no limit, so that all methods place the same trees before the first two improve them.
Cost cost_of(const char* fabric_name, const char* groups_name) {
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

  return {verified(together, set.size()), verified(thoroughly, set.size()), verified(one_by_one, set.size())};
}

TEST(RouterTogether, NothingIsWorseAndMuchIsBetter) {
  constexpr const char* k_cases[][2] = {
      {"fat-tree:ports=8", "grid:8x16"},
      {"fat-tree:ports=8", "random:groups=60,size=6,seed=1"},
      {"fat-tree:ports=8", "random:groups=200,size=6,seed=1"},
      {"torus:size=4x4x2,hosts=2", "grid:8x8"},
      {"torus:size=5x4x3,hosts=1", "random:groups=40,size=5,seed=2"},
      {"dragonfly:a=4,p=2,h=2", "grid:8x9"},
      {"random:switches=24,ports=8,hosts=3,seed=4", "grid:8x9"},
      {"dragonfly:a=4,p=2,h=2", "random:groups=60,size=6,seed=3"},
      {"random:switches=24,ports=8,hosts=3,seed=4", "random:groups=60,size=6,seed=5"}};
  int lighter = 0, fewer = 0;
  for (const auto& [fabric, groups] : k_cases) {
    SCOPED_TRACE(testing::Message() << fabric << " " << groups);
    const auto [together, thoroughly, one_by_one] = cost_of(fabric, groups);
    EXPECT_LE(together.max_efi, one_by_one.max_efi);
    EXPECT_LE(thoroughly.max_efi, one_by_one.max_efi);
    EXPECT_LE(together.colours, one_by_one.colours);
    EXPECT_LE(thoroughly.colours, one_by_one.colours);
    lighter += together.max_efi < one_by_one.max_efi ? 1 : 0;
    fewer += together.colours < one_by_one.colours ? 1 : 0;
  }
  EXPECT_GE(lighter, 2);
  EXPECT_GE(fewer, 4);
}

/// A plan that spends more colours for the sake of the cables is taken where these colours are allowed.
TEST(RouterTogether, CablesAreSparedWhereColoursAreLeft) {
  const auto routed = [](uint32_t limit) {
    Router router = Router::create(make("bluelight"), {.colour_limit = limit}).value();
    const GroupSet set = groups_in(router.fabric(), "grid:16x16x34");
    EXPECT_TRUE(router.join_all(set));
    return verified(router, set.size());
  };
  const RoutingMetrics any = routed(0), limited = routed(128);
  EXPECT_GT(limited.colours, any.colours);
  EXPECT_LE(limited.colours, 128u);
  EXPECT_LT(limited.max_efi, any.max_efi);
}

/// Four groups of the same hosts share a tree as long as that is needed: where a cable carries too much and
/// there are colours left, some go apart.
TEST(RouterTogether, WhatSharesTreesGoesApartForTheCables) {
  const auto routed = [](uint32_t limit) {
    Router router = Router::create(make("dragonfly:a=6,p=3,h=3"), {.colour_limit = limit}).value();
    const GroupSet set = groups_in(router.fabric(), "grid:36x36,ppn=4");
    EXPECT_TRUE(router.join_all(set));
    EXPECT_LE(router.forest().colours().opened(), limit);
    return verified(router, set.size());
  };
  const RoutingMetrics few = routed(11), more = routed(32);
  EXPECT_EQ(more.max_tfi, 4u);
  EXPECT_EQ(few.max_efi % 4, 0u);
  EXPECT_LT(more.max_efi, few.max_efi);
}

/// Groups of any hosts are little alike, and still better joined in pairs than merged one by one.
TEST(RouterTogether, WhatIsNotAlikeSharesTreesToo) {
  constexpr const char* k_cases[][3] = {
      {"random:switches=100,ports=12,hosts=4,seed=3", "random:groups=500,size=30", "64"},
      {"random:switches=122,ports=24,hosts=12,seed=347", "random:groups=125,size=43", "64"},
      {"random:switches=73,ports=24,hosts=12,seed=409", "random:groups=136,size=22", "16"},
      {"bluelight", "random:groups=500,size=60", "64"}};
  for (const auto& [fabric, groups, limit] : k_cases) {
    SCOPED_TRACE(testing::Message() << fabric << " " << groups);
    const auto routed = [&, name = fabric, most_colours = static_cast<uint32_t>(std::stoul(limit)),
                         set = groups_in(make(fabric), groups)](Method method) {
      Router router = Router::create(make(name), {.colour_limit = most_colours, .method = method}).value();
      EXPECT_TRUE(router.join_all(set));
      return verified(router, set.size());
    };
    const RoutingMetrics guided = routed(Method::guided), paper = routed(Method::paper);
    EXPECT_LE(guided.max_efi, paper.max_efi);
    EXPECT_LE(guided.max_tfi, 64u);
  }
}

/// A process grid that fits neither hosts nor switches: few groups are equal, many are alike.
TEST(RouterTogether, WhatIsAlikeSharesTrees) {
  const auto routed = [](Method method) {
    Router router =
        Router::create(make("torus:size=8x6x5,hosts=2"), {.colour_limit = 24, .method = method}).value();
    const GroupSet set = groups_in(router.fabric(), "grid:11x13x13,ppn=4");
    EXPECT_TRUE(router.join_all(set));
    return verified(router, set.size());
  };
  const RoutingMetrics guided = routed(Method::guided), paper = routed(Method::paper);
  EXPECT_LE(guided.max_tfi, 8u);
  EXPECT_LE(2 * guided.max_efi, paper.max_efi);
}

/// Whatever is moved about, every group is delivered within the limit, for every effort.
TEST(RouterTogether, RandomFabrics) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    base::Random random(seed);
    const std::string name =
        fmt::format("random:switches={},ports=8,hosts=2,seed={}", 6 + random.below(20), seed);
    const std::string groups =
        fmt::format("random:groups={},size={},seed={}", 1 + random.below(80), 1 + random.below(7), seed);
    const uint32_t limit = random.below(2) == 0 ? 0 : 1 + random.below(30);
    SCOPED_TRACE(testing::Message() << name << ' ' << groups << " limit " << limit);
    const GroupSet set = groups_in(make(name), groups);
    for (const Effort effort : {Effort::quick, Effort::thorough}) {
      Router router =
          Router::create(make(name), {.colour_limit = limit, .effort = effort, .seed = seed}).value();
      ASSERT_TRUE(router.join_all(set));
      EXPECT_EQ(verified(router, set.size()).groups, set.size());
    }
  }
}

/// Trees that were moved about leave nothing behind when they go.
TEST(RouterTogether, AllGroupsCanLeave) {
  for (const char* description : {"fat-tree:ports=8", "random:switches=24,ports=8,hosts=3,seed=4"}) {
    Router router = Router::create(make(description), {}).value();
    const GroupSet set = groups_in(router.fabric(), "random:groups=60,size=6,seed=3");
    ASSERT_TRUE(router.join_all(set));
    for (GroupId id = 0; id < set.size(); ++id) ASSERT_TRUE(router.leave(id));
    EXPECT_TRUE(router.tables().all().empty());
    for (LinkId link = 0; link < router.fabric().link_count(); ++link)
      EXPECT_EQ(router.forest().link_load(link), 0u);
    const ColourSets& colours = router.forest().colours();
    for (SwitchId at = 0; at < router.fabric().switch_count(); ++at)
      EXPECT_EQ(colour_count(colours.free_at(at)), colours.opened());
  }
}

}  // namespace
}  // namespace tutti::fabric
