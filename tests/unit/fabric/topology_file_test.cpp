// Fabrics as text: what ibnetdiscover 5 prints of an ibsim, ibsim's own example, and what is wrong.

#include "fabric/topology_file.hpp"

#include <map>

#include "fabric/graphviz.hpp"
#include "tests/unit/fabric/support.hpp"

namespace tutti::fabric {
namespace {

// Printed by ibnetdiscover of infiniband-diags 44 for two switches of an ibsim 0.10.
constexpr const char* k_discovered = R"(#
# Topology file: generated on Sun Nov 22 01:41:56 2026
#
# Initiated from node 0010000000000001 port 0010000000000001

vendid=0x0
devid=0x0
sysimgguid=0x10000000000002
switchguid=0x10000000000002(10000000000002)
Switch	8 "S-0010000000000002"		# "leaf 1" base port 0 lid 0 lmc 0
[1]	"H-0020000000000003"[1](20000000000004) 		# "host 1" lid 0 4xSDR
[4]	"S-0010000000000001"[4]		# "leaf 0" lid 0 4xSDR

vendid=0x0
devid=0x0
sysimgguid=0x10000000000001
switchguid=0x10000000000001(10000000000001)
Switch	8 "S-0010000000000001"		# "leaf 0" base port 0 lid 0 lmc 0
[1]	"H-0020000000000001"[1](20000000000002) 		# "host 0" lid 0 4xSDR
[4]	"S-0010000000000002"[4]		# "leaf 1" lid 0 4xSDR

vendid=0x0
devid=0x0
sysimgguid=0x20000000000003
caguid=0x20000000000003
Ca	1 "H-0020000000000003"		# "host 1"
[1](20000000000004) 	"S-0010000000000002"[1]		# lid 0 lmc 0 "leaf 1" lid 0 4xSDR

vendid=0x0
devid=0x0
sysimgguid=0x20000000000001
caguid=0x20000000000001
Ca	1 "H-0020000000000001"		# "host 0"
[1](20000000000002) 	"S-0010000000000001"[1]		# lid 0 lmc 0 "leaf 0" lid 0 4xSDR
)";

TEST(TopologyFile, ReadsIbnetdiscover) {
  const auto fabric = parse_topology(k_discovered, "file");
  ASSERT_TRUE(fabric) << fabric.status().message();
  ASSERT_EQ(fabric->switch_count(), 2u);
  ASSERT_EQ(fabric->host_count(), 2u);
  EXPECT_EQ(fabric->link_count(), 1u);
  EXPECT_EQ(fabric->switch_node(0).name, "leaf 1");
  EXPECT_EQ(fabric->switch_node(0).guid, 0x10000000000002u);
  const HostId host = fabric->find_host(0x20000000000002);
  ASSERT_NE(host, k_none);
  EXPECT_EQ(fabric->host(host).node_guid, 0x20000000000001u);
  EXPECT_EQ(fabric->host(host).name, "host 0");
  EXPECT_EQ(fabric->host(host).at, fabric->find_switch(0x10000000000001));
  EXPECT_EQ(fabric->host(host).at_port, 1);
}

TEST(TopologyFile, ReadsAnExampleOfIbsim) {
  // net.2sw2path4hca of ibsim, shortened; GUIDs are those that ibsim gives.
  const auto fabric = parse_topology(
      "# Net configuration file example\n"
      "Switch 8 \"Switch1\"\n[1] \"Hca1\"[1]\n[2] \"Hca2\"[2]\n[3] \"Switch2\"[3] w=12\n[4] "
      "\"Switch2\"[4]\n\n"
      "Switch 8 \"Switch2\"\n[3] \"Switch1\"[3]\n[4] \"Switch1\"[4]\n\n"
      "Hca 2 \"Hca1\"\n[1] \"Switch1\"[1]\n\nHca 2 \"Hca2\"\n[2] \"Switch1\"[2]\n",
      "net");
  ASSERT_TRUE(fabric) << fabric.status().message();
  EXPECT_EQ(fabric->switch_count(), 2u);
  EXPECT_EQ(fabric->link_count(), 2u);
  ASSERT_EQ(fabric->host_count(), 2u);
  EXPECT_EQ(fabric->switch_node(1).guid, 0x200001u);
  EXPECT_EQ(fabric->host(0).guid, 0x100001u);
  EXPECT_EQ(fabric->host(1).node_guid, 0x100003u);
  EXPECT_EQ(fabric->host(1).guid, 0x100005u);
}

TEST(TopologyFile, ReadsWhatItWrites) {
  for (const char* description : {"fat-tree:ports=4", "torus:size=3x3,hosts=1", "dragonfly:a=2,p=1,h=1",
                                  "bluelight", "random:switches=8,ports=6,hosts=2"}) {
    const Fabric fabric = make(description);
    const std::string text = format_ibsim(fabric);
    const auto again = parse_topology(text, "file");
    ASSERT_TRUE(again) << again.status().message();
    EXPECT_EQ(again->host_count(), fabric.host_count());
    EXPECT_EQ(again->link_count(), fabric.link_count());
    EXPECT_EQ(format_ibsim(*again), text) << description;
  }
}

TEST(TopologyFile, ADisconnectedSwitchHasNoCables) {
  Fabric fabric = make("fat-tree:ports=4,levels=2");
  fabric.disconnect(0);
  EXPECT_TRUE(fabric.arcs(0).empty());
  EXPECT_EQ(fabric.host(0).at, k_none);
  EXPECT_EQ(fabric.host(2).at, 1u);
  for (const Arc& arc : fabric.arcs(4)) EXPECT_NE(arc.to, 0u);
}

TEST(TopologyFile, WhatIsWrongIsSaidWithItsLine) {
  for (const auto& [text, part] : std::map<const char*, const char*>{
           {"", "file: there is no switch"},
           {"hello\n", "file:1: 'hello' is not like"},
           {"Switch 300 \"S\"\n", "file:1: 'Switch 300 \"S\"' is not like"},
           {"Switch 4 \"S\n", "file:1: 'Switch 4 \"S' is not like"},
           {"[1] \"S\"[1]\n", "file:1: a port before the first node"},
           {"Switch 4 \"S\"\nSwitch 4 \"S\"\n", "file:2: node 'S' is there already, in line 1"},
           {"Switch 4 \"S\"\n[1] \"T\"[1]\n", "file:2: node 'T' is cabled but not described"},
           {"Switch 4 \"S\"\n[9] \"S\"[1]\n", "file:2: node 'S' has ports 1 to 4, not 9"},
           {"Switch 4 \"S\"\n[1] \"S\"[1]\n", "file:2: port 1 is cabled to itself"},
           {"Switch 4 \"S\"\n[1] \"T\"[1]\nSwitch 4 \"T\"\n[1] \"S\"[2]\n",
            "file:4: port 1 of node 'T' leads to two"},
           {"Switch 4 \"S\"\n[1] \"T\"[1]\n[2] \"T\"[1]\nSwitch 4 \"T\"\n",
            "file:3: port 1 of node 'T' leads to two"},
           {"include other\n", "file:1: 'include' is a word of ibsim"},
           {"switchguid=0x1\nSwitch 4 \"S\"\nswitchguid=0x1\nSwitch 4 \"T\"\n",
            "file:4: switch 0000000000000001"},
       }) {
    const auto fabric = parse_topology(text, "file");
    ASSERT_FALSE(fabric) << text;
    EXPECT_TRUE(fabric.status().message().starts_with(part)) << fabric.status().message();
    EXPECT_EQ(fabric.status().message().find('\n'), std::string::npos);
  }
}

TEST(TopologyFile, ASwitchHasAPortOfItsOwn) {
  const auto fabric =
      parse_topology("switchguid=0x10(2a)\nSwitch 4 \"S\"\nswitchguid=0x11\nSwitch 4 \"T\"\n", "file");
  ASSERT_TRUE(fabric) << fabric.status().message();
  EXPECT_EQ(fabric->host_count(), 0u);
  EXPECT_EQ(fabric->end_port_count(), 2u);
  EXPECT_EQ(fabric->find_host(0x2a), fabric->own_port(0));
  EXPECT_EQ(fabric->find_host(0x10), k_none);
  EXPECT_EQ(fabric->find_host(0x11), fabric->own_port(1));
  EXPECT_EQ(fabric->host(fabric->own_port(1)).at, 1u);
  EXPECT_EQ(fabric->peer(1, 0).index, fabric->own_port(1));
  const auto again = parse_topology(format_ibsim(*fabric), "file");
  ASSERT_TRUE(again) << again.status().message();
  EXPECT_EQ(again->find_host(0x2a), again->own_port(0));
}

TEST(Graphviz, ShowsParallelCablesAndTheTree) {
  const Fabric fabric = make("torus:size=2x2,hosts=1");
  const std::vector<LinkId> tree{0};
  const std::string text = format_graphviz(fabric, {.with_hosts = true, .highlighted = tree, .members = {}});
  EXPECT_TRUE(text.starts_with("graph fabric {"));
  EXPECT_NE(text.find("s0 -- s1 [ color=red"), std::string::npos) << text;
  EXPECT_NE(text.find("s0 -- h0"), std::string::npos);
}

}  // namespace
}  // namespace tutti::fabric
