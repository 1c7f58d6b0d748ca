// The topologies of the paper have the sizes that it names, and bad descriptions get one line.

#include "fabric/generate.hpp"

#include <algorithm>
#include <map>

#include "tests/support/sanitizer.hpp"
#include "tests/unit/fabric/support.hpp"

namespace tutti::fabric {
namespace {

struct Size {
  const char* description;
  uint32_t switches, hosts, links;
  unsigned diameter;
};

class Generate : public testing::TestWithParam<Size> {};

TEST_P(Generate, HasTheSizeOfThePaper) {
  const Fabric fabric = make(GetParam().description);
  EXPECT_EQ(fabric.switch_count(), GetParam().switches);
  EXPECT_EQ(fabric.host_count(), GetParam().hosts);
  EXPECT_EQ(fabric.link_count(), GetParam().links);
  for (HostId id = 0; id < fabric.host_count(); ++id) ASSERT_NE(fabric.host(id).at, k_none);
}

TEST_P(Generate, IsConnectedWithTheDiameterOfItsKind) {
  const Fabric fabric = make(GetParam().description);
  if (test::k_is_sanitized && fabric.switch_count() > 1000) GTEST_SKIP() << "takes long under a sanitizer";
  // Every switch of a generated fabric looks alike from afar: a few rows tell.
  const auto hops = HopTable::compute(fabric, 2);
  ASSERT_TRUE(hops);
  unsigned most = 0;
  for (SwitchId id = 0; id < fabric.switch_count(); id += 97)
    most = std::max<unsigned>(most, *std::max_element(hops->row(id), hops->row(id) + fabric.switch_count()));
  EXPECT_EQ(most, GetParam().diameter);
}

INSTANTIATE_TEST_SUITE_P(Paper, Generate,
                         testing::Values(Size{"fat-tree:ports=8", 80, 128, 256, 4},
                                         Size{"fat-tree:ports=40", 2000, 16000, 32000, 4},
                                         Size{"fat-tree:ports=8,levels=2", 12, 32, 32, 2},
                                         Size{"torus:size=8x8x4,hosts=2", 256, 512, 768, 10},
                                         Size{"dragonfly:a=4,p=2,h=2", 36, 72, 90, 3},
                                         Size{"dragonfly", 2934, 26406, 38142, 3},
                                         Size{"random:switches=64,ports=16,hosts=8", 64, 512, 256, 3},
                                         Size{"bluelight", 832, 8704, 10880, 4},
                                         Size{"bluelight:leaf=32", 560, 8704, 6528, 4},
                                         Size{"taihulight", 3904, 40960, 51200, 4}));

TEST(GeneratePaths, FromALeafToATop) {
  // "8 paths" on BlueLight, "2 paths" on TaihuLight (paper 004, section 4.2.1).
  for (const auto& [description, paths] :
       std::map<const char*, uint32_t>{{"bluelight", 8}, {"taihulight", 2}}) {
    const Fabric fabric = make(description);
    const SwitchId top = fabric.switch_count() - 1;
    uint32_t found = 0;
    for (const Arc& up : fabric.arcs(0))
      for (const Arc& next : fabric.arcs(up.to)) found += next.to == top ? 1 : 0;
    EXPECT_EQ(found, paths) << description;
  }
}

TEST(GenerateRandom, DependsOnTheSeedAlone) {
  const auto ends = [](const char* description) {
    const Fabric fabric = make(description);
    std::vector<std::pair<SwitchId, SwitchId>> all;
    for (LinkId id = 0; id < fabric.link_count(); ++id)
      all.emplace_back(fabric.link(id).a, fabric.link(id).b);
    return all;
  };
  EXPECT_EQ(ends("random:switches=32,ports=8,hosts=4,seed=7"),
            ends("random:switches=32,ports=8,hosts=4,seed=7"));
  EXPECT_NE(ends("random:switches=32,ports=8,hosts=4,seed=7"),
            ends("random:switches=32,ports=8,hosts=4,seed=8"));
}

TEST(GenerateDescription, WhatIsWrongIsSaidInOneLine) {
  for (const auto& [text, part] : std::map<const char*, const char*>{
           {"fat-treee", "did you mean fat-tree?"},
           {"fat-tree:prots=8", "is no parameter"},
           {"fat-tree:ports", "is no parameter"},
           {"fat-tree:ports=7", "odd"},
           {"fat-tree:ports=8,ports=6", "ports is given twice"},
           {"fat-tree:ports=x", "not between"},
           {"torus:size=30x", "not between"},
           {"torus:size=4000x4000", "more than"},
           {"dragonfly:a=0", "not between"},
           {"random:ports=8,hosts=8", "leaves no port"},
           {"random:switches=64,ports=2,hosts=1", "too rarely"},
           {"bluelight:leaf=20", "does not divide"},
           {"", "unknown topology"},
       }) {
    const auto fabric = generate(text);
    ASSERT_FALSE(fabric) << text;
    EXPECT_NE(fabric.status().message().find(part), std::string::npos) << fabric.status().message();
    EXPECT_EQ(fabric.status().message().find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace tutti::fabric
