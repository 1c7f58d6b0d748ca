// The baselines: what OpenSM 3.3.23 showed on ibsim for the same fabrics and groups, and what trees have to
// be.

#include "fabric/baselines.hpp"

#include <algorithm>

#include "tests/unit/fabric/support.hpp"

namespace tutti::fabric {
namespace {

struct Seen {
  const char* fabric;
  const char* groups;
  uint32_t minihop_efi;  // greatest, between switches, as OpenSM routed
};

class MinihopMc : public testing::TestWithParam<Seen> {};

TEST_P(MinihopMc, LoadsTheBusiestCableAsOpensmDoes) {
  const Fabric fabric = make(GetParam().fabric);
  const auto hops = HopTable::compute(fabric, 1);
  const GroupSet groups = groups_in(fabric, GetParam().groups);
  const auto tables = route_baseline(Baseline::minihop_mc, fabric, *hops, groups);
  ASSERT_TRUE(tables) << tables.status().message();
  const auto efi = count_efi(fabric, *tables);
  EXPECT_EQ(*std::max_element(efi.begin(), efi.end()), GetParam().minihop_efi);
}

INSTANTIATE_TEST_SUITE_P(Opensm, MinihopMc,
                         testing::Values(Seen{"fat-tree:ports=8", "grid:16x8", 16},
                                         Seen{"fat-tree:ports=16", "grid:32x32", 32}));

TEST(Baselines, AreTreesThatTheVerifierAccepts) {
  for (const char* description : {"fat-tree:ports=4", "torus:size=4x4,hosts=1", "dragonfly:a=3,p=2,h=1"}) {
    const Fabric fabric = make(description);
    const auto hops = HopTable::compute(fabric, 1);
    const GroupSet groups = groups_in(fabric, "random:groups=20,size=5,seed=2");
    std::vector<Colour> colours(groups.size());
    for (GroupId id = 0; id < groups.size(); ++id) colours[id] = id;
    const auto tables = route_baseline(Baseline::sssp_mc, fabric, *hops, groups);
    ASSERT_TRUE(tables) << tables.status().message();
    const auto metrics = verify(fabric, groups, colours, *tables, groups.size());
    ASSERT_TRUE(metrics) << description << ": " << metrics.status().message();
    const auto efi = count_efi(fabric, *tables);
    EXPECT_EQ(*std::max_element(efi.begin(), efi.end()), metrics->max_efi);
  }
}

TEST(Baselines, RefuseWhatCannotBeRouted) {
  Fabric fabric = make("fat-tree:ports=4,levels=2");
  const GroupSet groups = groups_in(fabric, "grid:2x2");
  fabric.disconnect(0);
  const auto hops = HopTable::compute(fabric, 1);
  const auto tables = route_baseline(Baseline::minihop_mc, fabric, *hops, groups);
  ASSERT_FALSE(tables);
  EXPECT_NE(tables.status().message().find("not cabled to any switch"), std::string::npos);
}

}  // namespace
}  // namespace tutti::fabric
