#include "engine/plan.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tutti::engine {
namespace {

using schedule::BufRef;
using schedule::OperandOrder;
using schedule::Peer;
using schedule::ScheduleBuilder;
using schedule::Slot;
using schedule::TaskId;

constexpr BufRef k_in{Slot::input, 0, 8};
constexpr BufRef k_out{Slot::output, 0, 8};

std::shared_ptr<const Plan> plan_of(ScheduleBuilder& builder, Limits limits = {}) {
  return *Plan::make(*std::move(builder).finish(), limits);
}

TEST(Plan, GroupsTransfersByPeerKindAndDirectionInTaskOrder) {
  ScheduleBuilder builder;
  const TaskId a = builder.send(Peer::rank(1), k_in);
  const TaskId b = builder.recv(Peer::rank(1), k_out);
  const TaskId c = builder.send(Peer::local(2), k_in);
  const TaskId d = builder.send(Peer::rank(1), k_in, b);
  const TaskId e = builder.send(Peer::node(1), k_in);
  const TaskId f = builder.copy(k_in, k_out, b);
  const auto plan = plan_of(builder);
  ASSERT_EQ(plan->channels().size(), 4u);
  const auto tasks_of = [&](TaskId id) {
    const auto tasks = plan->channels()[plan->channel_of(id)].tasks;
    return std::vector<TaskId>(tasks.begin(), tasks.end());
  };
  EXPECT_EQ(tasks_of(a), (std::vector<TaskId>{a, d}));
  EXPECT_EQ(tasks_of(b), std::vector<TaskId>{b});
  EXPECT_EQ(tasks_of(c), std::vector<TaskId>{c});
  EXPECT_EQ(tasks_of(e), std::vector<TaskId>{e});
  EXPECT_EQ(plan->channel_of(f), k_no_channel);
  EXPECT_EQ(plan->channels()[plan->channel_of(b)].direction, Direction::recv);
  EXPECT_EQ(plan->channels()[plan->channel_of(c)].peer, Peer::local(2));
  EXPECT_EQ(std::vector<TaskId>(plan->roots().begin(), plan->roots().end()),
            (std::vector<TaskId>{a, b, c, e}));
}

TEST(Plan, KnowsWhatItNeeds) {
  ScheduleBuilder plain;
  plain.send(Peer::rank(1), k_in);
  const auto small = plan_of(plain);
  EXPECT_TRUE(small->touches(Slot::input));
  EXPECT_FALSE(small->touches(Slot::output));
  EXPECT_TRUE(small->addresses(Peer::Kind::rank));
  EXPECT_FALSE(small->addresses(Peer::Kind::local));
  EXPECT_FALSE(small->reduces());
  EXPECT_FALSE(small->uses_node());
  EXPECT_EQ(small->swap_bytes(), 0u);

  ScheduleBuilder rich;
  const BufRef shared = rich.node(64), mine = rich.scratch(64);
  rich.copy(shared, mine);
  rich.reduce(mine.part(0, 48), shared.part(0, 48), {}, OperandOrder::target_first);
  rich.reduce(mine, shared, {}, OperandOrder::source_first);
  const auto large = plan_of(rich);
  EXPECT_TRUE(large->reduces());
  EXPECT_TRUE(large->uses_node());
  EXPECT_EQ(large->swap_bytes(), 48u) << "only target_first has to swap";
  EXPECT_GT(large->footprint_bytes(), 3 * sizeof(schedule::Task));
}

TEST(Plan, RefusesAWindowOfNothing) {
  ScheduleBuilder builder;
  const auto plan = Plan::make(*std::move(builder).finish(), {.window = 0});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.status().code(), base::Code::invalid_argument);
}

TEST(Plan, RefusesOneRankOverTwoKindsOfPeer) {
  const auto make = [](Peer one, Peer other, bool same_direction) {
    ScheduleBuilder builder;
    builder.send(one, k_in);
    if (same_direction)
      builder.send(other, k_in);
    else
      builder.recv(other, k_out);
    return Plan::make(*std::move(builder).finish(), {}).is_ok();
  };
  EXPECT_FALSE(make(Peer::rank(3), Peer::local(3), true));
  EXPECT_FALSE(make(Peer::local(3), Peer::rank(3), true));
  EXPECT_TRUE(make(Peer::rank(3), Peer::local(4), true));
  EXPECT_TRUE(make(Peer::node(3), Peer::rank(3), true)) << "a node's number says nothing about a rank's";
  EXPECT_TRUE(make(Peer::rank(3), Peer::local(3), false));
}

}  // namespace
}  // namespace tutti::engine
