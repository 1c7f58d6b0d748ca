#include "schedule/print.hpp"

#include <gtest/gtest.h>

#include "small_problem.hpp"

namespace tutti::schedule {
namespace {

/// Rank 1 sends to the leader of node 0 (rank 0), which reduces; rank 2 is told.
std::vector<Schedule> example() {
  SmallProblem p(3);
  p[1].send(Peer::node(0), input(0, 8));
  const BufRef operand = p[0].scratch(8);
  const TaskId arrived = p[0].recv(Peer::node(1), operand);
  const TaskId copied = p[0].copy(input(0, 8), output(0, 8));
  const TaskId reduced = p[0].reduce(operand, output(0, 8), {arrived, copied}, OperandOrder::target_first);
  p[0].notify(Peer::rank(2), reduced);
  p[2].await(Peer::rank(0));
  return p.schedules();
}
constexpr Rank k_leaders[] = {0, 1, 2};

TEST(Print, Text) {
  EXPECT_EQ(print_text(example()),
            R"(rank 0: 4 tasks, 8 bytes of scratch
  0  recv 8 bytes into scratch+0 from the leader of node 1
  1  copy 8 bytes of input+0 to output+0
  2  reduce 8 bytes: output+0 = output+0 op scratch+0  after 0, 1
  3  notify rank 2  after 2
rank 1: 1 tasks, 0 bytes of scratch
  0  send 8 bytes of input+0 to the leader of node 0
rank 2: 1 tasks, 0 bytes of scratch
  0  await rank 0
)");
}

TEST(Print, Dot) {
  EXPECT_EQ(print_dot(example(), k_leaders),
            R"(digraph schedule {
  node [shape=box, fontname="sans-serif", fontsize=10];
  subgraph cluster_0 {
    label="rank 0";
    r0_0 [label="0: recv 8 bytes into scratch+0 from the leader of node 1"];
    r0_1 [label="1: copy 8 bytes of input+0 to output+0"];
    r0_2 [label="2: reduce 8 bytes: output+0 = output+0 op scratch+0"];
    r0_3 [label="3: notify rank 2"];
    r0_0 -> r0_2;
    r0_1 -> r0_2;
    r0_2 -> r0_3;
  }
  subgraph cluster_1 {
    label="rank 1";
    r1_0 [label="0: send 8 bytes of input+0 to the leader of node 0"];
  }
  subgraph cluster_2 {
    label="rank 2";
    r2_0 [label="0: await rank 0"];
  }
  r0_3 -> r2_0 [style=dashed, constraint=false];
  r1_0 -> r0_0 [style=dashed, constraint=false];
}
)");
}

TEST(Print, Goal) {
  EXPECT_EQ(print_goal(example(), k_leaders, {.copy_ns_per_kib = 128, .reduce_ns_per_kib = 256}),
            R"(num_ranks 3

rank 0 {
l0: recv 8b from 1 tag 2
l1: calc 1
l2: calc 2
l2 requires l0
l2 requires l1
l3: send 1b to 2 tag 0
l3 requires l2
}

rank 1 {
l0: send 8b to 0 tag 2
}

rank 2 {
l0: recv 1b from 0 tag 0
}
)");
}

TEST(Print, BrokenSchedulesCanBeDrawnToo) {
  SmallProblem p(2);
  p[0].notify(Peer::rank(1));
  p[0].notify(Peer::node(9));
  const std::string dot = print_dot(p.schedules());
  EXPECT_EQ(dot.find("dashed"), std::string::npos);
  EXPECT_NE(dot.find("cluster_1"), std::string::npos);
}

}  // namespace
}  // namespace tutti::schedule
