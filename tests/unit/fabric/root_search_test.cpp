// Candidate roots are those that a look at every member from every switch finds.

#include "fabric/root_search.hpp"

#include <algorithm>
#include <numeric>

#include "base/random.hpp"
#include "tests/unit/fabric/support.hpp"

namespace tutti::fabric {
namespace {

TEST(RootSearch, FindsWhatALookAtEverythingFinds) {
  base::Random random(1);
  for (const char* description : {"fat-tree:ports=6", "torus:size=5x4x3,hosts=1", "dragonfly:a=4,p=2,h=2",
                                  "random:switches=50,ports=7,hosts=3", "torus:size=40,hosts=1",
                                  "torus:size=16x8x8,hosts=1", "random:switches=300,ports=7,hosts=3"}) {
    const Fabric fabric = make(description);
    const auto hops = HopTable::compute(fabric, 1);
    ASSERT_TRUE(hops);
    RootSearch search(*hops);
    for (int round = 0; round < 200; ++round) {
      std::vector<SwitchId> terminals(1 + random.below(random.below(2) == 0 ? 12 : 40)), expected, found;
      const uint32_t near = random.below(2) == 0 ? 30 : fabric.switch_count();  // or from everywhere
      for (SwitchId& at : terminals) at = random.below(near);
      std::sort(terminals.begin(), terminals.end());
      terminals.erase(std::unique(terminals.begin(), terminals.end()), terminals.end());
      Hops least = k_unreachable;
      for (SwitchId id = 0; id < fabric.switch_count(); ++id) {
        Hops most = 0;
        for (const SwitchId at : terminals) most = std::max(most, hops->hops(id, at));
        if (most < least) expected.clear();
        least = std::min(least, most);
        if (most == least) expected.push_back(id);
      }
      EXPECT_EQ(search.find(terminals, found), least);
      EXPECT_EQ(found, expected);
    }
  }
}

TEST(RootSearch, WhatItKnowsIsForgottenWithTheTable) {
  Fabric fabric = make("torus:size=9,hosts=1");
  HopTable hops = HopTable::compute(fabric, 1).value();
  RootSearch search(hops);
  const std::vector<SwitchId> terminals{0, 2};
  std::vector<SwitchId> roots;
  for (int time = 0; time < 2; ++time) {
    EXPECT_EQ(search.find(terminals, roots), 1);
    EXPECT_EQ(roots, std::vector<SwitchId>{1});
    roots.clear();  // it is the caller's
  }
  fabric.disconnect(1);
  hops = HopTable::compute(fabric, 1).value();
  search.forget();
  EXPECT_EQ(search.find(terminals, roots), 4);
  EXPECT_EQ(roots, (std::vector<SwitchId>{5, 6}));
}

TEST(RootSearch, NoRootReachesWhatIsApart) {
  constexpr SwitchId k_count = 20;
  std::vector<SwitchId> terminals(k_count), roots;
  std::iota(terminals.begin(), terminals.end(), 0);
  for (SwitchId alone = 0; alone < k_count; ++alone) {
    FabricBuilder builder;
    for (const SwitchId id : terminals) ASSERT_TRUE(builder.add_switch(id + 1, 4, std::to_string(id)));
    SwitchId last = k_none;  // a line of all others
    for (const SwitchId id : terminals) {
      if (id == alone) continue;
      if (last != k_none) {
        ASSERT_TRUE(builder.connect(last, 2, id, 1));
      }
      last = id;
    }
    const Fabric fabric = builder.finish().value();
    const auto hops = HopTable::compute(fabric, 1);
    EXPECT_EQ(hops->diameter(), k_unreachable);
    RootSearch search(*hops);
    EXPECT_EQ(search.find(terminals, roots), k_unreachable);
    EXPECT_TRUE(roots.empty());
    EXPECT_EQ(search.find({&alone, 1}, roots), 0);
    EXPECT_EQ(roots, std::vector{alone});
  }
}

}  // namespace
}  // namespace tutti::fabric
