// Groups: grids as the paper draws them, and files.

#include "fabric/groups.hpp"

#include <algorithm>
#include <map>

#include "tests/unit/fabric/support.hpp"

namespace tutti::fabric {
namespace {

TEST(Mgid, IsWrittenAsAnAddress) {
  const auto mgid = parse_mgid("ff18::1:2");
  ASSERT_TRUE(mgid);
  EXPECT_EQ(mgid->high, 0xff18000000000000u);
  EXPECT_EQ(mgid->low, 0x10002u);
  EXPECT_EQ(to_string(*mgid), "ff18::1:2");
  EXPECT_FALSE(parse_mgid("fe80::1"));
  EXPECT_FALSE(parse_mgid("ff18::1 "));
  EXPECT_FALSE(parse_mgid(""));
}

TEST(GridGroups, CountsOfThePaper) {
  const Fabric bluelight = make("bluelight");
  EXPECT_EQ(groups_in(bluelight, "grid:256x34").size(), 290u);
  EXPECT_EQ(groups_in(bluelight, "grid:90x90").size(), 180u);
  EXPECT_EQ(groups_in(make("taihulight"), "grid:128x32x40,ppn=4").size(), 10496u);
}

TEST(GridGroups, FirstDimensionStaysWithinABlock) {
  const Fabric fabric = make("bluelight");
  const GroupSet groups = groups_in(fabric, "grid:256x34");
  for (GroupId id = 0; id < 34; ++id) {
    ASSERT_EQ(groups.members(id).size(), 256u);
    EXPECT_EQ(groups.members(id).front(), id * 256);
    EXPECT_EQ(groups.members(id).back(), id * 256 + 255);
  }
  ASSERT_EQ(groups.members(34).size(), 34u);
  EXPECT_EQ(groups.members(34)[1], 256u);
}

TEST(GridGroups, ProcessesOfAHostAreOneMember) {
  const Fabric fabric = make("fat-tree:ports=4");
  const GroupSet groups = groups_in(fabric, "grid:8x4x2,ppn=4");
  EXPECT_EQ(groups.size(), 8u + 16u + 32u);
  EXPECT_EQ(groups.members(0).size(), 2u);  // 8 neighbours on 2 hosts
  EXPECT_EQ(groups.members(8).size(), 4u);  // stride 8: a host each
  EXPECT_TRUE(std::ranges::equal(groups.members(8), groups.members(9)));
}

TEST(RandomGroups, HaveDifferentMembers) {
  const Fabric fabric = make("fat-tree:ports=8");
  const GroupSet groups = groups_in(fabric, "random:groups=50,size=128,seed=3");
  for (GroupId id = 0; id < groups.size(); ++id) EXPECT_EQ(groups.members(id).size(), 128u);
}

TEST(GroupPatterns, WhatIsWrongIsSaid) {
  const Fabric fabric = make("fat-tree:ports=4");
  for (const auto& [text, part] : std::map<const char*, const char*>{
           {"grid:5x4", "too few"},
           {"grid:0x4", "not between"},
           {"grid", "not between"},
           {"grid:4x4,pp=1", "is no parameter"},
           {"random:size=17", "the fabric has 16"},
           {"gird:4x4", "did you mean grid?"},
       }) {
    const auto groups = make_groups(text, fabric);
    ASSERT_FALSE(groups) << text;
    EXPECT_NE(groups.status().message().find(part), std::string::npos) << groups.status().message();
  }
}

TEST(GroupFile, ReadsWhatItWrites) {
  const Fabric fabric = make("fat-tree:ports=4");
  const GroupSet groups = groups_in(fabric, "grid:4x2x2");
  const std::string text = format_groups(groups, fabric);
  const auto again = parse_groups(text, fabric, "file");
  ASSERT_TRUE(again) << again.status().message();
  EXPECT_EQ(format_groups(*again, fabric), text);
}

TEST(GroupFile, WhatIsWrongIsSaidWithItsLine) {
  const Fabric fabric = make("fat-tree:ports=4");
  for (const auto& [text, part] : std::map<const char*, const char*>{
           {"", "file: there is no group in it"},
           {"# nothing\n", "file: there is no group in it"},
           {"ff18::1\n", "file:1: a group without members"},
           {"\nfe80::1 0x20000000000002\n", "file:2: 'fe80::1' is no multicast address"},
           {"ff18::1 0x99\n", "file:1: the fabric has no host port with the GUID '0x99'"},
           {"ff18::1 zebra\n", "file:1: 'zebra' is no GUID"},
           {"ff18::1 0x20000000000002\nff18::1 0x20000000000002\n",
            "file:2: the MGID of line 1 is there again"},
       }) {
    const auto groups = parse_groups(text, fabric, "file");
    ASSERT_FALSE(groups) << text;
    EXPECT_TRUE(groups.status().message().starts_with(part)) << groups.status().message();
  }
}

}  // namespace
}  // namespace tutti::fabric
