// The table of hops against a search from one switch after the other.

#include "fabric/hop_table.hpp"

#include <algorithm>
#include <deque>

#include "tests/unit/fabric/support.hpp"

namespace tutti::fabric {
namespace {

std::vector<Hops> hops_from(const Fabric& fabric, SwitchId start) {
  std::vector<Hops> hops(fabric.switch_count(), k_unreachable);
  hops[start] = 0;
  for (std::deque<SwitchId> queue{start}; !queue.empty(); queue.pop_front())
    for (const Arc& arc : fabric.arcs(queue.front()))
      if (hops[arc.to] == k_unreachable) {
        hops[arc.to] = static_cast<Hops>(hops[queue.front()] + 1);
        queue.push_back(arc.to);
      }
  return hops;
}

void expect_right(const Fabric& fabric, unsigned threads) {
  const auto table = HopTable::compute(fabric, threads);
  ASSERT_TRUE(table);
  Hops diameter = 0;
  for (SwitchId id = 0; id < fabric.switch_count(); ++id) {
    const std::vector<Hops> expected = hops_from(fabric, id);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), table->row(id))) << id;
    diameter = std::max(diameter, *std::max_element(expected.begin(), expected.end()));
  }
  EXPECT_EQ(table->diameter(), diameter);
}

TEST(HopTable, HasWhatASearchFromEachSwitchFinds) {
  // Fewer switches than are searched from at once, just as many, one more, many more; parallel cables; a
  // table that is large enough for huge pages.
  for (const char* description :
       {"torus:size=3x3,hosts=1", "torus:size=8x8,hosts=1", "torus:size=13x5,hosts=1",
        "fat-tree:ports=8,levels=3", "dragonfly:a=6,p=2,h=2", "bluelight",
        "random:switches=300,ports=6,hosts=3,seed=4", "torus:size=40x40,hosts=1"})
    for (const unsigned threads : {1u, 3u}) {
      SCOPED_TRACE(description);
      expect_right(make(description), threads);
    }
}

TEST(HopTable, PartsAreUnreachableFromEachOther) {
  Fabric fabric = make("torus:size=10x10,hosts=1");
  for (const SwitchId id : {0u, 37u, 64u}) fabric.disconnect(id);
  expect_right(fabric, 1);
}

TEST(HopTable, DoesNotDependOnThreads) {
  const Fabric fabric = make("random:switches=60,ports=8,hosts=4,seed=5");
  const auto one = HopTable::compute(fabric, 1), four = HopTable::compute(fabric, 4);
  ASSERT_TRUE(one && four);
  for (SwitchId id = 0; id < fabric.switch_count(); ++id) {
    EXPECT_TRUE(std::equal(one->row(id), one->row(id) + fabric.switch_count(), four->row(id)));
    for (SwitchId to = 0; to < fabric.switch_count(); ++to) EXPECT_EQ(one->hops(id, to), one->hops(to, id));
  }
}

TEST(HopTable, RefusesWhatDoesNotFitAByte) {
  EXPECT_TRUE(HopTable::compute(make("torus:size=509,hosts=1"), 1));  // 254 hops
  const auto hops = HopTable::compute(make("torus:size=511,hosts=1"), 1);
  ASSERT_FALSE(hops);
  EXPECT_NE(hops.status().message().find("more than 254 hops"), std::string::npos);
}

}  // namespace
}  // namespace tutti::fabric
