// Fabrics as text: what ibnetdiscover 5 prints of an ibsim, ibsim's own example, and what is wrong.

#include "fabric/topology_file.hpp"

#include <map>

#include "fabric/graphviz.hpp"
#include "fabric/groups.hpp"
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

// Both streams of ibnetdiscover -g of infiniband-diags 44, for an ibsim 0.10 with two chassis.
constexpr const char* k_grouped =
    R"(./libibnetdisc/chassis.c:585; Unexpected node found: guid 0x0008f10400400010
ibwarn: [29760] parse_port_connection_data: cannot parse remote lid and connection type
#
# Topology file: generated on Sat Nov 28 15:08:56 2026
#
# Initiated from node 0020000000000001 port 0020000000000002

Chassis 1 (guid 0x8f1040040000f)

# Spine Nodes
vendid=0x8f1
devid=0x5a37
sysimgguid=0x8f10400400001		# Chassis 1
switchguid=0x8f10400400010(8f10400400010)	# ISR2012 Spine 1 Chip 1
Switch	24 "S-0008f10400400010"		# "ISR2012 Voltaire sFB-2012" base port 0 lid 0 lmc 0
[1]	"S-0008f10400400020"[1]		# "ISR2012 Voltaire sLB-2024" lid 0 4xSDR
[2]	"S-0008f10400400020"[2]		# "ISR2012 Voltaire sLB-2024" lid 0 4xSDR

# Line Nodes
vendid=0x8f1
devid=0x5a38
sysimgguid=0x8f10400400001		# Chassis 1
switchguid=0x8f10400400020(8f10400400020)	# ISR2012 Line 1 Chip 1
Switch	24 "S-0008f10400400020"		# "ISR2012 Voltaire sLB-2024" base port 0 lid 0 lmc 0
[1]	"S-0008f10400400010"[1]		# "ISR2012 Voltaire sFB-2012" lid 0 4xSDR
[2]	"S-0008f10400400010"[2]		# "ISR2012 Voltaire sFB-2012" lid 0 4xSDR
[13][ext 13]	"H-0020000000000001"[1](20000000000002) 		# "host 0" lid 0 4xSDR
[14][ext 14]	"H-0020000000000003"[1](20000000000004) 		# "host 1" lid 0 4xSDR
[24][ext 24]	"S-0002c9020040b160"[1]		# "Quantum Mellanox Technologies" lid 0 4xSDR

# Chassis Switches
# Chassis CAs
Chassis 2 (guid 0x2c9020040b163)

# Spine Nodes
# Line Nodes
# Chassis Switches
vendid=0x2c9
devid=0xbd36
sysimgguid=0x2c9020040b163		# Chassis 2
switchguid=0x2c9020040b160(2c9020040b160)	# 
Switch	36 "S-0002c9020040b160"		# "Quantum Mellanox Technologies" base port 0 lid 0 lmc 0
[1]	"S-0008f10400400020"[24][ext 24]		# "ISR2012 Voltaire sLB-2024" lid 0 4xSDR
[2]	"H-0020000000000005"[1](20000000000006) 		# "host 2" lid 0 4xSDR
[3]	"H-0020000000000007"[1](20000000000008) 		# "Mellanox Technologies Aggregation Node" lid 0 4xSDR
[4]	"S-0002c9020040b170"[4]		# "Quantum Mellanox Technologies" lid 0 4xSDR

vendid=0x2c9
devid=0xbd36
sysimgguid=0x2c9020040b163		# Chassis 2
switchguid=0x2c9020040b170(2c9020040b170)	# 
Switch	36 "S-0002c9020040b170"		# "Quantum Mellanox Technologies" base port 0 lid 0 lmc 0
[4]	"S-0002c9020040b160"[4]		# "Quantum Mellanox Technologies" lid 0 4xSDR
[5]	"S-0002c9020040b180"[5]		# "alone" lid 0 4xSDR

# Chassis CAs
Non-Chassis Nodes

vendid=0x0
devid=0xbd36
sysimgguid=0x2c9020040b180
switchguid=0x2c9020040b180(2c9020040b180)	# 
Switch	36 "S-0002c9020040b180"		# "alone" base port 0 lid 0 lmc 0
[5]	"S-0002c9020040b170"[5]		# "Quantum Mellanox Technologies" lid 0 4xSDR

vendid=0x0
devid=0xbd36
sysimgguid=0x20000000000007
caguid=0x20000000000007
Ca	1 "H-0020000000000007"		# "Mellanox Technologies Aggregation Node"
[1](20000000000008) 	"S-0002c9020040b160"[3]		# lid 0 lmc 0 "Quantum Mellanox Technologies" lid 0 4xSDR

vendid=0x0
devid=0xbd36
sysimgguid=0x20000000000005
caguid=0x20000000000005
Ca	2 "H-0020000000000005"		# "host 2"
[1](20000000000006) 	"S-0002c9020040b160"[2]		# lid 0 lmc 0 "Quantum Mellanox Technologies" lid 0 4xSDR

vendid=0x0
devid=0xbd36
sysimgguid=0x20000000000003
caguid=0x20000000000003
Ca	2 "H-0020000000000003"		# "host 1"
[1](20000000000004) 	"S-0008f10400400020"[14][ext 14]		# lid 0 lmc 0 "ISR2012 Voltaire sLB-2024" lid 0 4xSDR

vendid=0x0
devid=0xbd36
sysimgguid=0x20000000000001
caguid=0x20000000000001
Ca	2 "H-0020000000000001"		# "host 0"
[1](20000000000002) 	"S-0008f10400400020"[13][ext 13]		# lid 0 lmc 0 "ISR2012 Voltaire sLB-2024" lid 0 4xSDR
)";

TEST(TopologyFile, ReadsIbnetdiscoverThatGroups) {
  const auto fabric = parse_topology(k_grouped, "file");
  ASSERT_TRUE(fabric) << fabric.status().message();
  EXPECT_EQ(fabric->switch_count(), 5u);
  EXPECT_EQ(fabric->link_count(), 5u);
  EXPECT_EQ(fabric->host_count(), 4u);
  const HostNode& host = fabric->host(fabric->find_host(0x20000000000004));
  EXPECT_EQ(host.at, fabric->find_switch(0x8f10400400020));
  EXPECT_EQ(host.at_port, 14);
}

TEST(TopologyFile, ANodeMayBeListedTwice) {
  // Under one heading with some of its cables, and under another one with others.
  const std::string text = k_grouped;
  const auto once = parse_topology(text, "file"), twice = parse_topology(text + text, "file");
  ASSERT_TRUE(twice) << twice.status().message();
  EXPECT_EQ(format_ibsim(*twice), format_ibsim(*once));
}

TEST(TopologyFile, AHostThatIsCalledSwitchIsOne) {
  // ibnetdiscover -g writes this of a host at the spine of a chassis, without the GUID of its port.
  const auto fabric = parse_topology(
      "Switch 24 \"S-0008f10400400010\"\n[13] \"H-0020000000000001\"[1](20000000000009)\n"
      "switchguid=0x20000000000001(20000000000009)\nSwitch 2 \"H-0020000000000001\" # \"host 0\" base port "
      "0\n"
      "[1] \"S-0008f10400400010\"[13]\n",
      "file");
  ASSERT_TRUE(fabric) << fabric.status().message();
  EXPECT_EQ(fabric->switch_count(), 1u);
  ASSERT_EQ(fabric->host_count(), 1u);
  EXPECT_EQ(fabric->host(0).guid, 0x20000000000009u);
}

TEST(TopologyFile, SwitchesAloneNameTheirHosts) {
  std::string text = k_discovered;
  const auto whole = parse_topology(text, "file");
  text.erase(text.find("caguid"));
  const auto fabric = parse_topology(text, "file");
  ASSERT_TRUE(fabric) << fabric.status().message();
  EXPECT_EQ(fabric->switch_count(), 2u);
  ASSERT_EQ(fabric->host_count(), 2u);
  for (const uint64_t guid : {0x20000000000002u, 0x20000000000004u}) {
    const HostNode &host = fabric->host(fabric->find_host(guid)),
                   &before = whole->host(whole->find_host(guid));
    EXPECT_EQ(host.node_guid, before.node_guid);
    EXPECT_EQ(host.name, before.name);
    EXPECT_EQ(fabric->switch_node(host.at).guid, whole->switch_node(before.at).guid);
    EXPECT_EQ(host.at_port, before.at_port);
  }
}

TEST(TopologyFile, AggregationNodesAreNoHosts) {
  const auto fabric = parse_topology(k_grouped, "file");
  ASSERT_TRUE(fabric) << fabric.status().message();
  EXPECT_NE(fabric->find_host(0x20000000000008), k_none) << "it stays an end port, as it is for OpenSM";
  EXPECT_EQ(fabric->computing_hosts().size(), 3u);
  const auto groups = make_groups("grid:3", *fabric);
  ASSERT_TRUE(groups) << groups.status().message();
  for (const HostId member : groups->members(0))
    EXPECT_NE(fabric->host(member).name, "Mellanox Technologies Aggregation Node");
  EXPECT_FALSE(make_groups("grid:4", *fabric));
  EXPECT_FALSE(make_groups("random:groups=1,size=4", *fabric));
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
           {"Switch 4 \"S\"\nSwitch 5 \"S\"\n",
            "file:2: node 'S' is there already, in line 1, and not the same"},
           {"Switch 4 \"S\"\n[1] \"A\"[1](8)\n[2] \"B\"[1](9)\ncaguid=0x3\nCa 1 \"A\"\ncaguid=0x3\nCa 1 "
            "\"B\"\n",
            "file:7: GUID 0000000000000003 is that of the node of line 5"},
           {"Switch 4 \"S\"\nCa 4 \"S\"\n", "file:2: node 'S' is there already"},
           {"switchguid=0x1\nSwitch 4 \"S\"\nswitchguid=0x2\nSwitch 4 \"S\"\n",
            "file:4: node 'S' is there already"},
           {"Switch 4 \"S\"\n[1] \"S-0008f10400400010\"[1]\n",
            "file:2: node 'S-0008f10400400010' is cabled but"},
           {"Switch\t : 0x0002c9020040b160 ports 36 devid 0xbd36 vendid 0x2c9 \"a\"\n", "file:1: "},
           {"CA     0  1 0x0020000000000008 4x SDR\n",
            "file:1: 'CA     0  1 0x0020000000000008 4x SDR' is not like a "
            "line of ibnetdiscover (without -l, -H, -S, -R, -p)"},
           {"ibwarn: [7] a: b\niberror: [7] main: failed: discover failed\n",
            "file:2: ibnetdiscover has failed: 'iberror:"},
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
