#include "topology/core_choice.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tutti::topology {
namespace {

using Units = std::vector<uint32_t>;

CoreMap map_of(const std::string& machine, const Units& usable = {}) {
  auto map = synthetic_core_map(machine, usable);
  EXPECT_TRUE(map) << map.status().message();
  return map ? *map : CoreMap{};
}

CoreChoice spare(const CoreMap& map, MaskPlace place = {}) {
  return choose_cores(map, CoreMode::spare, place);
}

// hwloc numbers the units of made-up machines in their order: core 0 has units 0 and 1.
TEST(CoreMap, TellsWhichUnitsShareACore) {
  const CoreMap map = map_of("numa:2 core:2 pu:2");
  ASSERT_EQ(map.cores.size(), 4u);
  EXPECT_EQ(map.cores[3].units, (Units{6, 7}));
  EXPECT_EQ(map.cores[3].usable_units, (Units{6, 7}));
  EXPECT_EQ(map.cores[0].numa_node, 0);
  EXPECT_EQ(map.cores[3].numa_node, 1);
}

TEST(CoreMap, LeavesOutWhatTheProcessMayNotUse) {
  const CoreMap map = map_of("numa:2 core:2 pu:2", {2, 3, 5});
  ASSERT_EQ(map.cores.size(), 2u);
  EXPECT_EQ(map.cores[1].units, (Units{4, 5}));
  EXPECT_EQ(map.cores[1].usable_units, (Units{5}));
}

TEST(CoreMap, OfThisProcess) {
  const auto map = read_core_map();
  ASSERT_TRUE(map) << map.status().message();
  EXPECT_FALSE(map->cores.empty());
}

TEST(CoreMap, AMachineThatCannotBeIsAnError) {
  const auto map = synthetic_core_map("no such machine", {});
  ASSERT_FALSE(map);
  EXPECT_EQ(map.status().code(), base::Code::invalid_argument);
}

TEST(CoreChoice, SharedLeavesTheAffinityAlone) {
  const CoreChoice choice = choose_cores(map_of("numa:1 core:4 pu:1"), CoreMode::shared, {});
  EXPECT_FALSE(choice.is_spare());
  EXPECT_EQ(choice.reason, "shares the 4 cores of this process");
}

TEST(CoreChoice, TheLastCoreWithAllItsUnits) {
  const CoreChoice choice = spare(map_of("numa:1 core:4 pu:2"));
  EXPECT_EQ(choice.units, (Units{6, 7}));
  EXPECT_EQ(choice.reason, "core of its own: units 6, 7 of 4 cores that this process may use");
}

TEST(CoreChoice, AWholeCoreRatherThanALaterHalfOfOne) {
  EXPECT_EQ(spare(map_of("numa:1 core:4 pu:2", {0, 1, 2, 3, 4})).units, (Units{2, 3}));
}

TEST(CoreChoice, HalvesWhereThereIsNothingElse) {
  EXPECT_EQ(spare(map_of("numa:1 core:4 pu:2", {0, 2, 4})).units, (Units{4}));
}

TEST(CoreChoice, OnTheNumaNodeOfTheProcess) {
  EXPECT_EQ(spare(map_of("numa:2 core:4 pu:1", {0, 1, 2, 5})).units, (Units{2}));
  EXPECT_EQ(spare(map_of("numa:2 core:4 pu:1", {1, 4, 5, 6})).units, (Units{6}));
  EXPECT_EQ(spare(map_of("numa:2 core:4 pu:1")).units, (Units{7})) << "at home on both";
}

TEST(CoreChoice, ProcessesWithOneMaskTakeOneCoreEach) {
  const CoreMap map = map_of("numa:2 core:4 pu:2");
  std::set<Units> taken;
  for (uint32_t index = 0; index < 4; ++index) {
    const CoreChoice choice = spare(map, {.index = index, .count = 4});
    ASSERT_TRUE(choice.is_spare()) << choice.reason;
    EXPECT_TRUE(taken.insert(choice.units).second) << "taken twice";
  }
}

TEST(CoreChoice, NoneIsSpareWithOneCore) {
  const CoreChoice choice = spare(map_of("numa:1 core:4 pu:2", {0, 1}));
  EXPECT_FALSE(choice.is_spare());
  EXPECT_EQ(choice.reason, "no spare core: this process may use only 1 core");
}

TEST(CoreChoice, NoneIsSpareWhereProcessesNeedAllToCompute) {
  const CoreChoice choice = spare(map_of("numa:1 core:4 pu:1"), {.index = 0, .count = 3});
  EXPECT_FALSE(choice.is_spare());
  EXPECT_EQ(choice.reason,
            "no spare core: 3 processes of this node share 4 cores, and each needs one to compute on");
}

TEST(CoreChoice, ACrowdedMachineIsNotEvenLookedAt) {
  const MaskPlace many{.index = 0, .count = 1'000'000}, limited{.can_have_two_cores = false};
  for (const MaskPlace& place : {many, limited}) {
    const CoreChoice choice = choose_own_cores(CoreMode::spare, place);
    EXPECT_FALSE(choice.is_spare());
    EXPECT_TRUE(choice.reason.starts_with("no spare core: ")) << choice.reason;
  }
}

}  // namespace
}  // namespace tutti::topology
