// The verifier sees every kind of damage, and agrees with packets that are really walked through the tables.

#include "fabric/verify.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "fabric/mlid_file.hpp"
#include "tests/unit/fabric/support.hpp"

namespace tutti::fabric {
namespace {

/// Two groups on a fat tree of 4-port switches, with the tables of a router.
class Verify : public testing::Test {
 protected:
  Verify()
      : fabric_(make("fat-tree:ports=4")), router_(Router::create(make("fat-tree:ports=4"), {}).value()) {
    add({0, 2, 5}, 1);
    add({1, 3, 12}, 2);
    const auto tables = router_.tables();
    ports_.assign(tables.all().begin(), tables.all().end());
  }

  void add(const std::vector<HostId>& members, uint64_t number) {
    groups_.add(numbered_mgid(number), members);
    const auto id = router_.join(members);
    EXPECT_TRUE(id);
    colours_.push_back(router_.colour(*id));
  }

  std::string finding(uint32_t limit = 16) const {
    const auto metrics =
        verify(fabric_, groups_, colours_, MulticastTables(fabric_.switch_count(), ports_), limit);
    return metrics ? "" : metrics.status().message();
  }

  Fabric fabric_;
  Router router_;
  GroupSet groups_;
  std::vector<Colour> colours_;
  std::vector<TablePort> ports_;
};

TEST_F(Verify, FindsNothingWrongWithARouter) {
  EXPECT_EQ(finding(), "");
}

TEST_F(Verify, EveryMissingPortIsFound) {
  const auto all = ports_;
  for (size_t i = 0; i < all.size(); ++i) {
    ports_ = all;
    ports_.erase(ports_.begin() + static_cast<long>(i));
    EXPECT_NE(finding(), "") << i;
  }
}

TEST_F(Verify, EveryStrayPortIsFound) {
  const auto all = ports_;
  for (SwitchId at = 0; at < fabric_.switch_count(); ++at)
    for (Port port = 1; port <= 4; ++port)
      for (const Colour colour : {0u, 1u, 2u}) {
        const TablePort stray{at, colour, port};
        if (std::find(all.begin(), all.end(), stray) != all.end()) continue;
        ports_ = all;
        ports_.push_back(stray);
        EXPECT_NE(finding(), "") << at << ' ' << int{port} << ' ' << colour;
      }
}

TEST_F(Verify, WrongColoursAreFound) {
  std::swap(colours_[0], colours_[1]);
  EXPECT_NE(finding(), "");
}

TEST_F(Verify, ATableThatIsTooSmallIsFound) {
  EXPECT_NE(finding(1).find("only 1 entries"), std::string::npos);
}

TEST_F(Verify, EqualAddressesAreFound) {
  groups_.add(numbered_mgid(1), {0, 2, 5});
  colours_.push_back(colours_[0]);
  EXPECT_NE(finding().find("belongs to two groups"), std::string::npos);
}

TEST(VerifyCircle, IsFound) {
  // Four switches in a ring that all send both ways.
  const Fabric fabric = make("torus:size=4,hosts=1");
  std::vector<TablePort> ports;
  GroupSet groups;
  groups.add(numbered_mgid(0), {0, 1, 2, 3});
  for (SwitchId at = 0; at < 4; ++at)
    for (Port port = 1; port <= 3; ++port) ports.push_back({at, 0, port});
  const MulticastTables tables(4, ports);
  const std::vector<Colour> colours{0};
  const auto metrics = verify(fabric, groups, colours, tables, 1);
  ASSERT_FALSE(metrics);
  EXPECT_NE(metrics.status().message().find("circle"), std::string::npos);
  EXPECT_FALSE(walk(fabric, tables, 0, 0));
}

TEST(VerifyMetrics, OfATreeThatIsKnown) {
  // A line of three switches, two groups that share one tree.
  const Fabric fabric = make("torus:size=3,hosts=2");
  GroupSet groups;
  groups.add(numbered_mgid(0), {0, 2});
  groups.add(numbered_mgid(1), {0, 3});
  std::vector<TablePort> ports{{0, 0, 1}, {1, 0, 1}, {1, 0, 2}};
  const Arc arc =
      *std::find_if(fabric.arcs(0).begin(), fabric.arcs(0).end(), [](const Arc& a) { return a.to == 1; });
  ports.push_back({0, 0, arc.port});
  ports.push_back({1, 0, arc.to_port});
  const std::vector<Colour> colours{0, 0};
  const auto metrics = verify(fabric, groups, colours, MulticastTables(3, ports), 1);
  ASSERT_TRUE(metrics) << metrics.status().message();
  EXPECT_EQ(metrics->trees, 1u);
  EXPECT_EQ(metrics->colours, 1u);
  ASSERT_EQ(metrics->by_colour.size(), 1u);
  EXPECT_EQ(metrics->by_colour[0].trees, 1u);
  EXPECT_EQ(metrics->by_colour[0].groups, 2u);
  EXPECT_EQ(metrics->max_efi, 2u);
  EXPECT_EQ(metrics->max_host_efi, 2u);
  EXPECT_EQ(metrics->max_tfi, 2u);
  EXPECT_EQ(metrics->filtered, 2u);  // host 3 gets group 0, host 2 group 1
  EXPECT_EQ(metrics->max_height, 1u);
}

/// A switch is a member at its port 0, and needs no other port to be one.
TEST(VerifyOwnPort, OfASwitchIsAMemberLikeAHost) {
  const Fabric fabric = make("torus:size=3,hosts=1");
  auto router = Router::create(make("torus:size=3,hosts=1"), {}).value();
  GroupSet groups;
  groups.add(numbered_mgid(0), {0, fabric.own_port(1)});
  groups.add(numbered_mgid(1), {fabric.own_port(2)});
  ASSERT_TRUE(router.join_all(groups));
  const std::vector<Colour> colours{router.colour(0), router.colour(1)};
  const auto again = parse_dump(format_dump(router.tables(), fabric), fabric, "dump");
  ASSERT_TRUE(again) << again.status().message();
  EXPECT_EQ(*again, router.tables());
  const auto metrics = verify(fabric, groups, colours, *again, 16);
  ASSERT_TRUE(metrics) << metrics.status().message();
  EXPECT_EQ(walk(fabric, *again, 0, colours[0]).value(), std::vector<HostId>{fabric.own_port(1)});
  EXPECT_EQ(walk(fabric, *again, fabric.own_port(1), colours[0]).value(), std::vector<HostId>{0});
  groups.add(numbered_mgid(2), {fabric.own_port(0)});
  EXPECT_FALSE(verify(fabric, groups, std::vector<Colour>{colours[0], colours[1], colours[0]}, *again, 16));
}

TEST(Dump, EntriesThatAreThereTwiceAreRefused) {
  const Fabric fabric = make("fat-tree:ports=4");
  const std::string head = "Switch 0x0010000000000001\n0xC000 : 0x001 0x002\n";
  ASSERT_TRUE(parse_dump(head + "0xC001 : 0x001 0x002\n", fabric, "dump"));
  for (const std::string more :
       {"0xC000 : 0x003\n", "0xC000 : 0x001 0x002\n",
        "Switch 0x0010000000000002\n0xC000 : 0x001\nSwitch 0x0010000000000001\n0xC000 : 0x003\n"}) {
    const auto tables = parse_dump(head + more, fabric, "dump");
    ASSERT_FALSE(tables) << more;
    EXPECT_NE(tables.status().message().find("has an entry for '0xC000' already, in line 2"),
              std::string::npos)
        << tables.status().message();
  }
}

TEST(Dump, ThePermissiveLidIsNoMlid) {
  const Fabric fabric = make("fat-tree:ports=4");
  const GroupSet groups = groups_in(fabric, "grid:2");
  const std::string head = "Switch 0x0010000000000001\n";
  EXPECT_TRUE(parse_dump(head + "0xFFFE : 0x001\n", fabric, "dump"));
  EXPECT_FALSE(parse_dump(head + "0xFFFF : 0x001\n", fabric, "dump"));
  EXPECT_TRUE(parse_mlids("ff18::1 0xFFFE\n", groups, "mlids"));
  EXPECT_FALSE(parse_mlids("ff18::1 0xFFFF\n", groups, "mlids"));
}

TEST(Dump, ReadsWhatItWrites) {
  const Fabric fabric = make("fat-tree:ports=4");
  auto router = Router::create(make("fat-tree:ports=4"), {}).value();
  ASSERT_TRUE(router.join_all(groups_in(fabric, "grid:4x4")));
  const std::string text = format_dump(router.tables(), fabric);
  EXPECT_NE(text.find("\nSwitch 0x0010000000000001\nLID    : Out Port(s)\n0xC000 : 0x001 "),
            std::string::npos)
      << text;
  const auto again = parse_dump(text, fabric, "dump");
  ASSERT_TRUE(again) << again.status().message();
  EXPECT_EQ(*again, router.tables());
}

/// The order is by the last byte of the GUID first: the effect of comparing network byte order on these machines.
TEST(Dump, HasTheSwitchesInOpensmsOrder) {
  const Fabric fabric = make("torus:size=17x16,hosts=1");
  std::vector<TablePort> ports;
  for (SwitchId id = 0; id < fabric.switch_count(); ++id) ports.push_back({id, 0, 1});
  const std::string text = format_dump(MulticastTables(fabric.switch_count(), ports), fabric);
  size_t last = 0;
  for (const char* guid : {"0x0010000000000100", "0x0010000000000001", "0x0010000000000101",
                           "0x0010000000000002", "0x00100000000000ff"}) {
    const size_t place = text.find(guid);
    ASSERT_NE(place, std::string::npos) << guid;
    EXPECT_GT(place, last) << guid;
    last = place;
  }
}

TEST(Dump, WhatIsWrongIsSaidWithItsLine) {
  const Fabric fabric = make("fat-tree:ports=4");
  for (const auto& [text, part] : std::map<const char*, const char*>{
           {"Switch 0x5\n", "dump:1: the fabric has no switch with the GUID '0x5'"},
           {"0xC000 : 0x001\n", "dump:1: an entry before the first switch"},
           {"Switch 0x10000000000001\n0x0001 : 0x001\n", "dump:2: '0x0001' is not like"},
           {"Switch 0x10000000000001\n0xC000 : 0x005\n", "dump:2: the switch has no port '0x005'"},
           {"Switch 0x10000000000001\n0xC000 0x001\n", "dump:2: '0xC000' is not like"},
       }) {
    const auto tables = parse_dump(text, fabric, "dump");
    ASSERT_FALSE(tables) << text;
    EXPECT_TRUE(tables.status().message().starts_with(part)) << tables.status().message();
  }
}

}  // namespace
}  // namespace tutti::fabric
