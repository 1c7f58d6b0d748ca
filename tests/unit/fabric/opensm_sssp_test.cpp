// SSSP-MC as OpenSM does it. That it is so to the last port is tested against OpenSM itself (tests/opensm).

#include <gtest/gtest.h>

#include "fabric/baselines.hpp"
#include "fabric/generate.hpp"
#include "fabric/opensm_sssp.hpp"
#include "fabric/verify.hpp"

namespace tutti::fabric {
namespace {

TEST(OpensmSssp, WaysAreShortest) {
  for (const char* description :
       {"fat-tree:ports=4", "torus:size=4x3,hosts=2", "random:switches=20,ports=6,hosts=2"}) {
    const Fabric fabric = generate(description).value();
    const HopTable hops = HopTable::compute(fabric, 1).value();
    OpensmSssp sssp(fabric);
    for (SwitchId root = 0; root < fabric.switch_count(); ++root) {
      sssp.run_from(root);
      EXPECT_EQ(sssp.way_to(root).arc, nullptr);
      for (SwitchId id = 0; id < fabric.switch_count(); ++id) {
        if (id == root) continue;
        const OpensmSssp::Step step = sssp.way_to(id);
        ASSERT_NE(step.arc, nullptr);
        EXPECT_EQ(step.arc->to, id);
        EXPECT_EQ(hops.hops(step.from, root) + 1, hops.hops(id, root));
      }
    }
  }
}

TEST(OpensmSssp, TreesDeliver) {
  const Fabric fabric = generate("dragonfly:a=4,p=2,h=2").value();
  const HopTable hops = HopTable::compute(fabric, 1).value();
  const GroupSet groups = make_groups("random:groups=30,size=6,seed=3", fabric).value();
  const auto tables = route_baseline(Baseline::sssp_opensm, fabric, hops, groups);
  ASSERT_TRUE(tables) << tables.status().message();
  std::vector<Colour> colours(groups.size());
  for (GroupId id = 0; id < groups.size(); ++id) colours[id] = id;
  const auto metrics = verify(fabric, groups, colours, *tables, groups.size());
  EXPECT_TRUE(metrics) << metrics.status().message();
}

TEST(OpensmSssp, ReachesOnlyItsPartOfTheFabric) {
  FabricBuilder builder;
  (void)builder.add_switch(1, 4, "a");
  (void)builder.add_switch(2, 4, "b");
  const Fabric fabric = builder.finish().value();
  OpensmSssp sssp(fabric);
  sssp.run_from(0);
  EXPECT_EQ(sssp.way_to(1).arc, nullptr);
}

}  // namespace
}  // namespace tutti::fabric
