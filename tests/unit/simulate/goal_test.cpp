#include "simulate/goal.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "simulate/goal_run.hpp"

namespace tutti::simulate {
namespace {

constexpr const char* k_everything = R"(num_ranks 2
// a comment
rank 0 {
  l1: calc 500 cpu 1
  l2: send 8b to 1 tag 7 cpu 0 nic 1 /* over
                                        lines */
  l2 requires l1
}
rank 1 {
  a: recv 8b from -1 tag -1
  b: calc 100
  b irequires a
}
)";

TEST(Goal, IsReadAndWritten) {
  const auto program = parse_goal(k_everything, "file");
  ASSERT_TRUE(program.is_ok()) << program.status().message();
  ASSERT_EQ(program->ranks.size(), 2u);
  const GoalRank &sender = program->ranks[0], &receiver = program->ranks[1];
  ASSERT_EQ(sender.operations.size(), 2u);
  EXPECT_EQ(sender.operations[1], (GoalOperation{.label = "l2",
                                                 .kind = GoalOperation::Kind::send,
                                                 .amount = 8,
                                                 .peer = 1,
                                                 .tag = 7,
                                                 .cpu = 0,
                                                 .nic = 1}));
  EXPECT_EQ(sender.operations[0].cpu, 1);
  EXPECT_EQ(sender.orders, (std::vector<GoalOrder>{{1, 0, false}}));
  EXPECT_EQ(receiver.operations[0].peer, k_any);
  EXPECT_EQ(receiver.operations[0].tag, k_any);
  EXPECT_EQ(receiver.orders, (std::vector<GoalOrder>{{1, 0, true}}));
  const auto again = parse_goal(format_goal(*program), "again");
  ASSERT_TRUE(again.is_ok()) << again.status().message();
  EXPECT_EQ(*again, *program);
}

TEST(Goal, BadProgramsGetOneLineThatSaysWhere) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "file:1: begins with num_ranks"},
      {"num_ranks 0", "file:1: num_ranks"},
      {"num_ranks 99999999999999999999", "file:1: num_ranks"},
      {"num_ranks 1\nrank 1 {", "file:2: rank: '1'"},
      {"num_ranks 1\nrank 0 {", "has no }"},
      {"num_ranks 1\nrank 0 {\n}\nrank 0 {\n}", "file:4: rank 0 is there twice"},
      {"num_ranks 2\nrank 0 {\na: send 1099511627777b to 1\n}", "file:3: size: '1099511627777'"},
      {"num_ranks 1\nrank 0 {\ncalc 1 cpu 65536\n}", "file:3: cpu: '65536'"},
      {"num_ranks 1\nrank 0 {\nclac 1\n}", "file:3: '1': expected a colon"},
      {"num_ranks 1\nrank 0 {\na: send 1 byte to 0\n}", "a size like 8b"},
      {"num_ranks 1\nrank 0 {\na: calc -1\n}", "file:3: calc"},
      {"num_ranks 1\nrank 0 {\na: clac 1\n}", "file:3: 'clac': expected send"},
      {"num_ranks 1\nrank 0 {\na: send 8 to 0\n}", "a size like 8b"},
      {"num_ranks 1\nrank 0 {\na: send 8b from 0\n}", "expected to"},
      {"num_ranks 1\nrank 0 {\na: send 8b to -1\n}", "rank: '-1'"},
      {"num_ranks 1\nrank 0 {\na: send 8b to 0 tag -1\n}", "a send has a tag"},
      {"num_ranks 1\nrank 0 {\na: calc 1\na requires b\n}", "there is no 'b'"},
      {"num_ranks 1\nrank 0 {\na: calc 1\na needs a\n}", "expected a colon"},
      {"num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb irequires a\n}", "waits for itself"},
      {"num_ranks 1 /* no end", "file:1: a comment has no end"},
  };
  for (const auto& [text, part] : wrong) {
    const auto made = parse_goal(text, "file");
    ASSERT_FALSE(made.is_ok()) << text;
    EXPECT_NE(made.status().message().find(part), std::string::npos) << made.status().message();
    EXPECT_EQ(made.status().message().find('\n'), std::string::npos);
  }
}

/// o = 10, L = 100, nothing else.
Machine plain_machine() {
  Machine made;
  for (const MachineParameter& parameter : machine_parameters())
    if (parameter.least == 0 && !parameter.is_whole) made.*parameter.value = 0;
  made.overhead_ns = 10;
  made.latency_ns = 100;
  return made;
}

std::vector<uint64_t> ends_ns(const char* text, uint32_t ranks_per_node = 1) {
  const auto program = parse_goal(text, "file");
  EXPECT_TRUE(program.is_ok()) << program.status().message();
  const auto outcome = run_goal(*program, ranks_per_node, plain_machine());
  EXPECT_TRUE(outcome.is_ok()) << outcome.status().message();
  std::vector<uint64_t> ends;
  if (outcome)
    for (const uint64_t ps : outcome->ends_ps) ends.push_back(ps / 1000);
  return ends;
}

using Ends = std::vector<uint64_t>;

TEST(GoalPrograms, WaitForEachOther) {
  EXPECT_EQ(ends_ns("num_ranks 2 rank 0 { c: calc 500 s: send 8b to 1 s requires c }"
                    "rank 1 { r: recv 8b from 0 c: calc 50 c requires r }"),
            (Ends{510, 670}));
}

TEST(GoalPrograms, CpusWorkSideBySide) {
  EXPECT_EQ(ends_ns("num_ranks 1 rank 0 { a: calc 500 b: calc 400 }"), Ends{900});
  EXPECT_EQ(ends_ns("num_ranks 1 rank 0 { a: calc 500 b: calc 400 cpu 1 }"), Ends{500});
  EXPECT_EQ(ends_ns("num_ranks 1 rank 0 { calc 500 cpu 256 calc 400 cpu 65535 calc 300 }"), Ends{500});
  EXPECT_EQ(ends_ns("num_ranks 1 rank 0 { a: calc 500 cpu 3 b: calc 400 cpu 1 c: calc 1 c requires b }"),
            Ends{500});
}

TEST(GoalPrograms, IrequiresWaitsForTheBegin) {
  EXPECT_EQ(ends_ns("num_ranks 1 rank 0 { a: calc 500 b: calc 400 cpu 1 b requires a }"), Ends{900});
  EXPECT_EQ(ends_ns("num_ranks 1 rank 0 { a: calc 500 b: calc 600 cpu 1 b irequires a }"), Ends{600});
  // A receive has begun when it is posted, long before its message is there.
  EXPECT_EQ(ends_ns("num_ranks 2 rank 0 { c: calc 500 s: send 8b to 1 s requires c }"
                    "rank 1 { r: recv 8b from 0 c: calc 50 c irequires r }"),
            (Ends{510, 620}));
}

TEST(GoalPrograms, TagsTellMessagesApart) {
  // The second message is received first.
  EXPECT_EQ(ends_ns("num_ranks 2 rank 0 { a: send 1b to 1 tag 1 b: send 2b to 1 tag 2 b requires a }"
                    "rank 1 { b: recv 2b from 0 tag 2 a: recv 1b from 0 tag 1 a requires b }"),
            (Ends{20, 140}));
}

TEST(GoalPrograms, AnySourceTakesWhatComesFirst) {
  const char* program =
      "num_ranks 3"
      " rank 0 { c: calc 500 s: send 8b to 2 tag 1 s requires c }"
      " rank 1 { s: send 8b to 2 tag 2 }"
      " rank 2 { a: recv 8b from -1 tag -1 w: calc 1000 w requires a b: recv 8b from -1 tag -1 b requires w "
      "}";
  EXPECT_EQ(ends_ns(program), (Ends{510, 10, 1130}));
}

TEST(GoalPrograms, LongMessagesFromAnybody) {
  EXPECT_EQ(
      ends_ns("num_ranks 2 rank 0 { s: send 1000000b to 1 tag 5 } rank 1 { r: recv 1000000b from -1 tag 5 }"),
      (Ends{130 + 100, 340}));
}

TEST(Goal, WhatTheOthersReadIsRead) {
  const auto program = parse_goal(
      "num_ranks 2\nrank 0 {\nsend 5000000000b to 1 tag 4294967294\ncalc 7 cpu 1\na: calc 1\na: calc 2\n"
      "b: send 8 b to 1 tag 2147483648\nb requires a\n}\n",
      "file");
  ASSERT_TRUE(program.is_ok()) << program.status().message();
  const GoalRank& rank = program->ranks[0];
  ASSERT_EQ(rank.operations.size(), 5u);
  EXPECT_EQ(rank.operations[0].label, "");
  EXPECT_EQ(rank.operations[0].amount, 5'000'000'000u);
  EXPECT_EQ(rank.operations[0].tag, 4294967294);
  EXPECT_EQ(rank.operations[1].cpu, 1);
  EXPECT_EQ(rank.operations[4].amount, 8u);
  EXPECT_EQ(rank.operations[4].tag, 2147483648);
  EXPECT_EQ(rank.orders, (std::vector<GoalOrder>{{4, 2, false}}))
      << "the first has the label, as with LogGOPSim";
  const auto again = parse_goal(format_goal(*program), "again");
  ASSERT_TRUE(again.is_ok()) << again.status().message();
  EXPECT_EQ(*again, *program);
}

TEST(GoalPrograms, TagsAreWhole) {
  // Two that differ above bit 31 are two.
  EXPECT_EQ(ends_ns("num_ranks 2 rank 0 { send 1b to 1 tag 1 send 2b to 1 tag 4294967297 }"
                    "rank 1 { b: recv 2b from 0 tag 4294967297 recv 1b from 0 tag 1 }"),
            (Ends{20, 130}));
}

TEST(GoalPrograms, ReceivesMayHaveRoomForMore) {
  // Only the message counts: on the wire, for the receiver's CPU, and between eager and rendezvous.
  for (const char* from : {"0", "-1"}) {
    const auto ends = [&](const char* room, uint32_t ranks_per_node) {
      const std::string text = fmt::format(
          "num_ranks 2 rank 0 {{ send 1000b to 1 tag 1 send 100000b to 1 tag 2 }} "
          "rank 1 {{ recv {0}b from {1} tag 1 recv {0}0{0}b from {1} tag 2 }}",
          room, from);
      Machine machine;
      machine.overhead_ns_per_byte = 1;
      const auto outcome = run_goal(parse_goal(text, "file").value(), ranks_per_node, machine);
      EXPECT_TRUE(outcome.is_ok()) << outcome.status().message();
      return outcome ? outcome->ends_ps : std::vector<uint64_t>{};
    };
    const std::string exact =
        "num_ranks 2 rank 0 { send 1000b to 1 tag 1 send 100000b to 1 tag 2 } "
        "rank 1 { recv 1000b from 0 tag 1 recv 100000b from 0 tag 2 }";
    Machine machine;
    machine.overhead_ns_per_byte = 1;
    for (const uint32_t ranks_per_node : {1u, 2u})
      EXPECT_EQ(ends("30000", ranks_per_node),
                run_goal(parse_goal(exact, "file").value(), ranks_per_node, machine)->ends_ps)
          << ranks_per_node << " on a node";
  }
}

TEST(GoalPrograms, LongMessagesTakeAsLongAsTheyAre) {
  Machine machine = plain_machine();
  machine.ns_per_byte = 1000;
  const auto outcome = run_goal(
      parse_goal("num_ranks 2 rank 0 { send 1099511627776b to 1 } rank 1 { recv 1099511627776b from 0 }",
                 "file")
          .value(),
      1, machine);
  ASSERT_TRUE(outcome.is_ok()) << outcome.status().message();
  EXPECT_GT(outcome->ends_ps[1], (uint64_t{1} << 40) * 1'000'000 - 2'000'000);
}

TEST(GoalPrograms, WhatTakesLongerThanVirtualTimeIsOneLine) {
  std::string computes = "num_ranks 1 rank 0 {", sends = "num_ranks 2 rank 0 {", receives = "} rank 1 {";
  for (int i = 0; i < 20; ++i) {
    computes += " calc 1000000000000000";
    sends += " send 1099511627776b to 1";
    receives += " recv 1099511627776b from 0";
  }
  Machine machine = plain_machine();
  machine.ns_per_byte = 1000;
  machine.eager_bytes = 0;
  for (const std::string& text : {computes + "}", sends + receives + "}"}) {
    const auto outcome = run_goal(parse_goal(text, "file").value(), 1, machine);
    ASSERT_FALSE(outcome.is_ok()) << text;
    EXPECT_NE(outcome.status().message().find("106 days"), std::string::npos) << outcome.status().message();
  }
}

TEST(GoalPrograms, WhatDoesNotFitTogetherIsOneLine) {
  for (const char* text :
       {"num_ranks 2 rank 0 { s: send 8b to 1 }", "num_ranks 2 rank 1 { r: recv 8b from 0 }",
        "num_ranks 2 rank 0 { s: send 8b to 1 } rank 1 { r: recv 7b from 0 }",
        "num_ranks 2 rank 0 { s: send 8b to 1 tag 1 } rank 1 { r: recv 8b from 0 tag 2 }"}) {
    const auto outcome = run_goal(parse_goal(text, "file").value(), 1, plain_machine());
    ASSERT_FALSE(outcome.is_ok()) << text;
    EXPECT_EQ(outcome.status().message().find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace tutti::simulate
