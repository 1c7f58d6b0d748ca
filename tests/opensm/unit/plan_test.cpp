#include "opensm/plan.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/random.hpp"
#include "fabric/generate.hpp"
#include "fabric/verify.hpp"
#include "opensm/plain_tree.hpp"
#include "tests/support/sanitizer.hpp"

namespace tutti::opensm {
namespace {

using fabric::Fabric;
using fabric::HostId;
using fabric::Mgid;

constexpr unsigned k_most_mlids = 64;

/// Groups as OpenSM would know them, beside the plan.
class World {
 public:
  explicit World(const char* description, uint32_t colours)
      : plan_(
            MulticastPlan::create(fabric::generate(description).value(), {.colour_limit = colours}).value()) {
  }

  MulticastPlan& plan() { return plan_; }

  void join(uint64_t number, std::vector<HostId> members) {
    const Mgid mgid = fabric::numbered_mgid(number);
    const auto mlid = plan_.join(mgid, members, [this] { return free_mlid(); });
    ASSERT_TRUE(mlid) << mlid.status().message();
    groups_[mgid] = {*mlid, std::move(members)};
  }

  void change(uint64_t number, std::vector<HostId> members) {
    const Mgid mgid = fabric::numbered_mgid(number);
    const auto status = plan_.change(mgid, members);
    ASSERT_TRUE(status) << status.message();
    groups_.at(mgid).members = std::move(members);
  }

  void leave(uint64_t number) {
    plan_.leave(fabric::numbered_mgid(number));
    groups_.erase(fabric::numbered_mgid(number));
  }

  /// The tables of all switches, checked by the verifier against the announced MLIDs.
  void verify() {
    fabric::GroupSet groups;
    std::vector<fabric::Colour> colours;
    std::set<Mlid> mlids;
    for (const auto& [mgid, group] : groups_) {
      groups.add(mgid, group.members);
      colours.push_back(group.mlid - fabric::k_first_mlid);
      mlids.insert(group.mlid);
    }
    std::vector<fabric::TablePort> ports;
    for (const Mlid mlid : mlids) {
      std::vector<fabric::TablePort> of_mlid;
      plan_.append_ports(mlid, of_mlid);
      for (fabric::TablePort& port : of_mlid) port.colour = mlid - fabric::k_first_mlid;
      ports.insert(ports.end(), of_mlid.begin(), of_mlid.end());
    }
    const fabric::MulticastTables tables(plan_.fabric().switch_count(), std::move(ports));
    const auto metrics = fabric::verify(plan_.fabric(), groups, colours, tables, k_most_mlids);
    ASSERT_TRUE(metrics) << metrics.status().message();
    EXPECT_EQ(plan_.mlid_count(), mlids.size());
  }

 private:
  struct Group {
    Mlid mlid;
    std::vector<HostId> members;
  };

  Mlid free_mlid() const {
    Mlid mlid = fabric::k_first_mlid + 1;  // the first is OpenSM's
    while (plan_.owns(mlid)) ++mlid;
    return mlid;
  }

  MulticastPlan plan_;
  std::map<Mgid, Group> groups_;
};

std::vector<HostId> some_hosts(uint32_t host_count, uint64_t salt) {
  std::vector<HostId> hosts;
  for (unsigned i = 0; i < 2 + salt % 5; ++i)
    hosts.push_back(static_cast<HostId>(base::mixed(salt * 16 + i) % host_count));
  std::sort(hosts.begin(), hosts.end());
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  return hosts;
}

TEST(OpensmPlan, DisjointGroupsShareAnMlid) {
  World world("fat-tree:ports=4", 8);
  world.join(0, {0, 1});
  world.join(1, {2, 3});
  world.verify();
  EXPECT_EQ(world.plan().mlid_count(), 1u);
}

TEST(OpensmPlan, MembersComeAndGoUnderTheSameMlid) {
  World world("random:switches=12,ports=6,hosts=2,seed=4", 6);
  const uint32_t hosts = world.plan().fabric().host_count();
  for (uint64_t n = 0; n < 20; ++n) world.join(n, some_hosts(hosts, n));
  for (uint64_t step = 0; step < 300; ++step) {
    world.change(step % 20, some_hosts(hosts, 1000 + step));
    if (step % 25 == 0) world.verify();
  }
  world.verify();
}

TEST(OpensmPlan, NothingIsLeftWhenAllHaveLeft) {
  World world("torus:size=3x3,hosts=2", 4);
  const uint32_t hosts = world.plan().fabric().host_count();
  for (uint64_t round = 0; round < 50; ++round) {
    for (uint64_t n = 0; n < 12; ++n) world.join(n, some_hosts(hosts, round * 12 + n));
    world.verify();
    for (uint64_t n = 0; n < 12; ++n) world.leave(n);
    EXPECT_EQ(world.plan().mlid_count(), 0u);
    EXPECT_EQ(world.plan().group_count(), 0u);
  }
}

TEST(OpensmPlan, ALostSwitchChangesOnlyItsGroupsAndNoMlid) {
  World world("fat-tree:ports=4", 16);
  const Fabric whole = world.plan().fabric();
  for (uint64_t n = 0; n < 12; ++n) world.join(n, some_hosts(whole.host_count(), n));
  Fabric damaged = whole;
  damaged.disconnect(whole.switch_count() - 1);  // a top
  ASSERT_TRUE(world.plan().change_fabric(damaged));
  world.verify();
  ASSERT_TRUE(world.plan().change_fabric(whole));
  world.verify();
}

bool is_connected(const Fabric& fabric) {
  const auto hops = fabric::HopTable::compute(fabric, 1).value();
  for (fabric::SwitchId id = 0; id < fabric.switch_count(); ++id)
    if (hops.hops(id, 0) == fabric::k_unreachable) return false;
  return true;
}

/// Everything that can happen, in any order, in tables that are too small for groups of their own.
TEST(OpensmPlan, StaysRightWhateverHappens) {
  for (uint64_t seed = 1; seed <= test::samples(60U); ++seed) {
    World world(fmt::format("random:switches=12,ports=7,hosts=2,seed={}", seed).c_str(), 5);
    const Fabric whole = world.plan().fabric();
    std::set<uint64_t> present;
    base::Random random(seed);
    for (unsigned step = 0; step < 120; ++step) {
      const uint64_t number = random.below(25);
      const std::vector<HostId> members = some_hosts(whole.host_count(), random.next() % 1000);
      const uint32_t what = random.below(10);
      if (what == 0) {
        Fabric damaged = whole;
        for (unsigned cut = 0; cut < 3; ++cut) damaged.disconnect_link(random.below(whole.link_count()));
        if (!is_connected(damaged)) continue;
        ASSERT_TRUE(world.plan().change_fabric(damaged));
      } else if (!present.contains(number)) {
        world.join(number, members);
        present.insert(number);
      } else if (what < 4) {
        world.leave(number);
        present.erase(number);
      } else {
        world.change(number, members);
      }
      world.verify();
      if (HasFatalFailure()) FAIL() << "seed " << seed << ", step " << step;
    }
  }
}

TEST(OpensmPlan, MembersThatWereCutOffComeBackUnderTheirMlid) {
  World world("fat-tree:ports=4", 16);
  const Fabric whole = world.plan().fabric();
  world.join(0, {0, 1});
  world.join(1, {0, 15});
  Fabric damaged = whole;
  damaged.disconnect(whole.host(0).at);  // both members of the first group, one of the second
  ASSERT_TRUE(world.plan().change_fabric(damaged));
  ASSERT_TRUE(world.plan().change_fabric(whole));
  world.verify();
}

TEST(OpensmPlan, GroupsThatWereToldAnMlidKeepIt) {
  const Fabric fabric = fabric::generate("fat-tree:ports=4").value();
  auto plan = MulticastPlan::create(fabric, {.colour_limit = 2}).value();
  ASSERT_TRUE(plan.adopt(fabric::numbered_mgid(0), 0xC005, {0, 15}));
  ASSERT_TRUE(plan.adopt(fabric::numbered_mgid(1), 0xC005, {3, 12}));
  ASSERT_TRUE(plan.adopt(fabric::numbered_mgid(2), 0xC007, {1, 2}));
  EXPECT_FALSE(plan.adopt(fabric::numbered_mgid(3), 0xC008, {1, 2}));
  EXPECT_EQ(plan.groups_of(0xC005).size(), 2u);
  std::vector<fabric::TablePort> ports;
  plan.append_ports(0xC005, ports);
  EXPECT_FALSE(ports.empty());
}

TEST(OpensmPlainTree, ReachesEveryMember) {
  const Fabric fabric = fabric::generate("random:switches=20,ports=6,hosts=2,seed=8").value();
  for (uint64_t n = 0; n < 50; ++n) {
    fabric::GroupSet groups;
    groups.add(fabric::numbered_mgid(n), some_hosts(fabric.host_count(), n));
    const std::vector<HostId> members(groups.members(0).begin(), groups.members(0).end());
    const fabric::MulticastTables tables(fabric.switch_count(), plain_tree(fabric, members, 3));
    const std::vector<fabric::Colour> colours{3};
    const auto metrics = fabric::verify(fabric, groups, colours, tables, 4);
    EXPECT_TRUE(metrics) << metrics.status().message();
  }
}

}  // namespace
}  // namespace tutti::opensm
