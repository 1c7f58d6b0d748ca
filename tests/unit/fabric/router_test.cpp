// Routing holds its promises on thousands of small random fabrics and sequences of joins, departures and
// failures.

#include "fabric/router.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "base/random.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/unit/fabric/support.hpp"

namespace tutti::fabric {
namespace {

const char* const k_fabrics[] = {"fat-tree:ports=4",
                                 "fat-tree:ports=6,levels=2",
                                 "torus:size=4x3,hosts=2",
                                 "torus:size=3x3x2,hosts=1",
                                 "dragonfly:a=3,p=2,h=1",
                                 "random:switches=12,ports=6,hosts=3,seed=2",
                                 "random:switches=20,ports=5,hosts=2,seed=9"};

std::vector<HostId> some_hosts(const Fabric& fabric, base::Random& random) {
  std::vector<HostId> hosts(1 + random.below(7));
  for (HostId& host : hosts) host = random.below(fabric.host_count());
  return hosts;
}

/// Every member gets every other member's packet once, and no other host is in the tree except through another group.
void expect_delivery(const Router& router, GroupId end) {
  const MulticastTables tables = router.tables();
  for (GroupId id = 0; id < end; ++id) {
    if (!router.has(id) || router.colour(id) == k_no_colour) continue;
    for (const HostId sender : router.members(id)) {
      const auto receivers = walk(router.fabric(), tables, sender, router.colour(id));
      ASSERT_TRUE(receivers) << receivers.status().message();
      std::map<HostId, int> copies;
      for (const HostId host : *receivers) ++copies[host];
      for (const HostId member : router.members(id)) EXPECT_EQ(copies[member], member == sender ? 0 : 1);
      for (const auto& [host, count] : copies) EXPECT_LE(count, 1);
    }
  }
}

struct Case {
  Method method;
  uint32_t colour_limit;
  MergeStrategy merge;
  Effort effort = Effort::quick;
};

class RouterProperties : public testing::TestWithParam<Case> {
 protected:
  Router router(const char* description, uint64_t seed, unsigned threads = 1) const {
    return Router::create(make(description), {.colour_limit = GetParam().colour_limit,
                                              .method = GetParam().method,
                                              .merge = GetParam().merge,
                                              .effort = GetParam().effort,
                                              .seed = seed,
                                              .threads = threads})
        .value();
  }
};

TEST_P(RouterProperties, JoinsAndDepartures) {
  for (const char* description : k_fabrics)
    for (uint64_t seed = 1; seed <= test::samples(12U); ++seed) {
      SCOPED_TRACE(testing::Message() << description << " seed " << seed);
      Router subject = router(description, seed);
      base::Random random(seed);
      std::vector<GroupId> present;
      GroupId end = 0;
      for (int step = 0; step < 40; ++step) {
        if (!present.empty() && random.below(3) == 0) {
          const size_t at = random.below(static_cast<uint32_t>(present.size()));
          ASSERT_TRUE(subject.leave(present[at]));
          present.erase(present.begin() + static_cast<long>(at));
        } else {
          const auto id = subject.join(some_hosts(subject.fabric(), random));
          ASSERT_TRUE(id) << id.status().message();
          present.push_back(*id);
          end = std::max(end, *id + 1);
        }
        verified(subject, end);
      }
      expect_delivery(subject, end);
      for (const GroupId id : present) ASSERT_TRUE(subject.leave(id));
      EXPECT_TRUE(subject.tables().all().empty());
      for (LinkId id = 0; id < subject.fabric().link_count(); ++id)
        EXPECT_EQ(subject.forest().link_load(id), 0u);
      if (HasFailure()) return;
    }
}

TEST_P(RouterProperties, ColoursOfOthersNeverChange) {
  for (const char* description : k_fabrics) {
    Router subject = router(description, 4);
    base::Random random(8);
    std::vector<Colour> colours;
    for (int step = 0; step < 30; ++step) {
      const auto id = subject.join(some_hosts(subject.fabric(), random));
      ASSERT_TRUE(id);
      for (GroupId old = 0; old < *id; ++old) EXPECT_EQ(subject.colour(old), colours[old]);
      colours.push_back(subject.colour(*id));
    }
  }
}

TEST_P(RouterProperties, AllAtOnce) {
  for (const char* description : k_fabrics) {
    SCOPED_TRACE(description);
    Router subject = router(description, 1);
    const GroupSet groups = groups_in(subject.fabric(), "random:groups=60,size=4,seed=5");
    ASSERT_TRUE(subject.join_all(groups));
    const RoutingMetrics metrics = verified(subject, groups.size());
    EXPECT_EQ(metrics.groups, 60u);
    if (GetParam().colour_limit > 0) {
      EXPECT_LE(metrics.colours, GetParam().colour_limit);
    }
    expect_delivery(subject, groups.size());
  }
}

TEST_P(RouterProperties, TheSameForAnyNumberOfThreads) {
  Router one = router("random:switches=20,ports=5,hosts=2,seed=9", 3, 1);
  Router three = router("random:switches=20,ports=5,hosts=2,seed=9", 3, 3);
  const GroupSet groups = groups_in(one.fabric(), "random:groups=100,size=5,seed=5");
  ASSERT_TRUE(one.join_all(groups) && three.join_all(groups));
  EXPECT_EQ(one.tables(), three.tables());
}

TEST_P(RouterProperties, SwitchesFail) {
  for (const char* description : k_fabrics)
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      SCOPED_TRACE(testing::Message() << description << " seed " << seed);
      Router subject = router(description, seed);
      base::Random random(seed);
      GroupId end = 0;
      for (int step = 0; step < 12; ++step)
        end = std::max(end, *subject.join(some_hosts(subject.fabric(), random)) + 1);
      const SwitchId failed = random.below(subject.fabric().switch_count());
      std::vector<bool> used(end);
      std::vector<Colour> before(end);
      const MulticastTables tables = subject.tables();
      for (GroupId id = 0; id < end; ++id) {
        before[id] = subject.colour(id);
        used[id] = !tables.entry(failed, before[id]).empty();
      }
      const auto changed = subject.disconnect(failed);
      ASSERT_TRUE(changed) << changed.status().message();
      EXPECT_TRUE(subject.tables().at(failed).empty());
      for (GroupId id = 0; id < end; ++id) {
        const bool is_changed = std::find(changed->begin(), changed->end(), id) != changed->end();
        EXPECT_EQ(subject.colour(id) != before[id], is_changed);
        EXPECT_FALSE(!used[id] && is_changed);
      }
    }
}

TEST_P(RouterProperties, TheRootOfTheLastGroupFails) {
  Router subject = router("torus:size=9,hosts=1", 1);
  const GroupId id = subject.join({0, 2}).value();
  ASSERT_EQ(subject.forest().tree(0).shape.switches.size(), 3u);
  ASSERT_TRUE(subject.disconnect(1));
  EXPECT_EQ(subject.forest().tree(0).shape.switches.size(), 8u);
  EXPECT_EQ(verified(subject, id + 1).max_height, 4u);
}

TEST_P(RouterProperties, GroupsOfFailedSwitchesLeaveAndChange) {
  for (const char* description : k_fabrics)
    for (uint64_t seed = 1; seed <= test::samples(12U); ++seed) {
      SCOPED_TRACE(testing::Message() << description << " seed " << seed);
      Router subject = router(description, seed);
      base::Random random(seed);
      const GroupSet groups =
          groups_in(subject.fabric(), "random:groups=30,size=3,seed=" + std::to_string(seed));
      ASSERT_TRUE(subject.join_all(groups));
      for (int step = 0; step < 30; ++step) {
        const GroupId id = random.below(groups.size());
        if (random.below(4) == 0) {
          ASSERT_TRUE(subject.disconnect(random.below(subject.fabric().switch_count())));
        } else if (subject.has(id) && random.below(2) == 0) {
          ASSERT_TRUE(subject.leave(id));
        } else if (subject.has(id)) {
          const Colour before = subject.colour(id);
          ASSERT_TRUE(subject.change_members(id, some_hosts(subject.fabric(), random)));
          if (before != k_no_colour && subject.colour(id) != k_no_colour) {
            EXPECT_EQ(subject.colour(id), before);
          }
        }
      }
      for (GroupId id = 0; id < groups.size(); ++id) {
        if (subject.has(id)) {
          ASSERT_TRUE(subject.leave(id));
        }
      }
      EXPECT_TRUE(subject.tables().all().empty());
      for (LinkId id = 0; id < subject.fabric().link_count(); ++id)
        EXPECT_EQ(subject.forest().link_load(id), 0u);
      if (HasFailure()) return;
    }
}

INSTANTIATE_TEST_SUITE_P(Methods, RouterProperties,
                         testing::Values(Case{Method::paper, 0, MergeStrategy::keep},
                                         Case{Method::paper, 4, MergeStrategy::keep},
                                         Case{Method::paper, 4, MergeStrategy::rebuild},
                                         Case{Method::paper, 1, MergeStrategy::keep},
                                         Case{Method::guided, 0, MergeStrategy::keep},
                                         Case{Method::guided, 0, MergeStrategy::keep, Effort::thorough},
                                         Case{Method::guided, 4, MergeStrategy::keep},
                                         Case{Method::guided, 4, MergeStrategy::keep, Effort::thorough},
                                         Case{Method::guided, 4, MergeStrategy::rebuild},
                                         Case{Method::guided, 1, MergeStrategy::rebuild}));

TEST(RouterErrors, AreOneLine) {
  FabricBuilder builder;
  for (uint64_t guid = 1; guid <= 2; ++guid) {
    ASSERT_TRUE(builder.add_switch(guid, 4, "s"));
    ASSERT_TRUE(
        builder.attach(*builder.add_host(10 + guid, 20 + guid, 1, "h"), static_cast<SwitchId>(guid - 1), 1));
  }
  ASSERT_TRUE(builder.add_host(99, 98, 1, "no cable"));
  Router router = Router::create(builder.finish().value(), {}).value();
  EXPECT_NE(router.join({0, 1}).status().message().find("not connected"), std::string::npos);
  EXPECT_NE(router.join({0, 2}).status().message().find("not cabled"), std::string::npos);
  EXPECT_NE(router.join({}).status().message().find("without members"), std::string::npos);
  EXPECT_EQ(router.leave(0).code(), base::Code::not_found);
  EXPECT_TRUE(router.join({1}));
}

TEST(RouterSharing, EqualGroupsCostNoColour) {
  // Four processes on each host: four groups of the same hosts share a tree when colours are short.
  const Fabric fabric = make("fat-tree:ports=8");
  Router router = Router::create(make("fat-tree:ports=8"), {.colour_limit = 16}).value();
  const GroupSet groups = groups_in(fabric, "grid:16x32,ppn=4");
  ASSERT_TRUE(router.join_all(groups));
  const RoutingMetrics metrics = verified(router, groups.size());
  EXPECT_LE(metrics.colours, 16u);
  EXPECT_EQ(metrics.max_tfi, 4u);
  EXPECT_EQ(metrics.filtered, 0u);
}

TEST(RouterMemory, ManyCyclesLeaveNothing) {
  Router router = Router::create(make("fat-tree:ports=4"), {.colour_limit = 8}).value();
  base::Random random(1);
  size_t bytes = 0;
  for (int cycle = 0; cycle < 3000; ++cycle) {
    const auto id = router.join(some_hosts(router.fabric(), random));
    ASSERT_TRUE(id);
    EXPECT_EQ(*id, 0u);
    ASSERT_TRUE(router.leave(*id));
    if (cycle == 1000) bytes = router.memory_bytes();
  }
  EXPECT_LE(router.memory_bytes(), bytes + 256);
  EXPECT_TRUE(router.tables().all().empty());
}

}  // namespace
}  // namespace tutti::fabric
