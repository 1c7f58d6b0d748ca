#include "offload/descriptor.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "offload/descriptor_text.hpp"
#include "samples.hpp"

namespace tutti::offload {
namespace {

std::string refusal(Descriptor d, const std::function<void(Descriptor&)>& change) {
  change(d);
  const auto status = check(d);
  return status ? "ok" : status.message();
}

TEST(Descriptor, OneNodeNeedsNoRounds) {
  EXPECT_TRUE(check(Descriptor{}));
  EXPECT_EQ(refusal({}, [](Descriptor& d) { d.nodes = 2; }), "descriptor: 2 nodes, but no rounds");
}

TEST(Descriptor, LastRoundHasMessages) {
  EXPECT_EQ(refusal(barrier_of(4, 0, 2), [](Descriptor& d) { d.rounds.emplace_back(); }),
            "descriptor: the last round, 2, has no messages");
  EXPECT_EQ(refusal(barrier_of(4, 0, 2), [](Descriptor& d) { d.rounds.insert(d.rounds.begin(), Round{}); }),
            "ok");
}

TEST(Descriptor, AllreduceIsConsistent) {
  const Descriptor d = allreduce_of(9, 4, 3, 2);
  ASSERT_TRUE(check(d));
  EXPECT_EQ(refusal(d, [](Descriptor& x) { x.op = Operator::none; }),
            "descriptor: operator 0 of an allreduce is not 1 … 5");
  EXPECT_EQ(refusal(d, [](Descriptor& x) { x.type = ElementType::none; }),
            "descriptor: element type 0 of an allreduce is not 1 … 3");
  EXPECT_EQ(refusal(d,
                    [](Descriptor& x) {
                      x.op = Operator::bit_and;
                      x.type = ElementType::float64;
                    }),
            "descriptor: operator and is not defined for float64");
  EXPECT_EQ(refusal(d, [](Descriptor& x) { x.element_count = 0; }), "descriptor: 0 elements, not 1 … 8");
  EXPECT_EQ(refusal(d, [](Descriptor& x) { x.operand[2] = 1; }),
            "descriptor: operand word 2 lies behind the 2 elements");
  EXPECT_EQ(refusal(d,
                    [](Descriptor& x) {
                      x.rounds[0].action = Action::none;
                      x.rounds[0].own_position = 0;
                    }),
            "descriptor: round 0: values are received and neither combined nor taken");
  EXPECT_EQ(refusal(d, [](Descriptor& x) { x.rounds[0].action = Action::replace; }),
            "descriptor: round 0: replaces the value, but not by exactly one");
  EXPECT_EQ(refusal(d, [](Descriptor& x) { x.rounds[0].own_position = 3; }),
            "descriptor: round 0: own value at position 3 among 2 received ones");
  EXPECT_EQ(refusal(barrier_of(4, 0, 2), [](Descriptor& x) { x.operand[0] = 1; }),
            "descriptor: a barrier has no operand");
}

TEST(Descriptor, TooManyPeers) {
  EXPECT_EQ(refusal(barrier_of(32, 0, 16), [](Descriptor& d) { d.rounds[0].sends.push_back(20); }),
            "descriptor: round 0: 16 sends, not at most 15");
}

TEST(Descriptor, Text) {
  EXPECT_EQ(format_text(documented()),
            "barrier      rank 5 of 128, barrier id 7, epoch 42\n"
            "completion   queue entry, cookie 0xc0ffee\n"
            "length       20 words, 160 bytes\n"
            "round  sends to  waits for\n"
            "    0  6 4       4 6\n"
            "    1  8 2       2 8\n"
            "    2  14 124    124 14\n"
            "    3  32 106    106 32\n"
            "    4  86        52\n");
  Descriptor d = allreduce_of(5, 0, 2, 2);
  d.type = ElementType::float64;
  d.operand = {0x3fe0000000000000, 0xc000000000000000};
  d.completion = Completion::memory_write;
  d.completion_address = 0x1000;
  EXPECT_EQ(format_text(d),
            "allreduce    rank 0 of 5, barrier id 0, epoch 0\n"
            "operation    sum of 2 float64, operand 0.5 -2\n"
            "completion   memory write, address 0x1000\n"
            "length       17 words, 136 bytes\n"
            "round  sends to  waits for\n"
            "    0  -         1  combine, own value at 0\n"
            "    1  2         2  combine, own value at 0\n"
            "    2  3         3  combine, own value at 0\n"
            "    3  1         -\n");
}

}  // namespace
}  // namespace tutti::offload
