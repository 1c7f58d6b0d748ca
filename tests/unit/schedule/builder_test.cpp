#include <gtest/gtest.h>

#include <string>

#include "small_problem.hpp"

namespace tutti::schedule {
namespace {

Schedule finish(ScheduleBuilder& builder) {
  return std::move(builder).finish().value();
}

std::vector<TaskId> successors(const Schedule& schedule, TaskId id) {
  const auto next = schedule.successors(id);
  return {next.begin(), next.end()};
}

TEST(Builder, EmptyScheduleIsASchedule) {
  ScheduleBuilder builder;
  const Schedule schedule = finish(builder);
  EXPECT_EQ(schedule.size(), 0u);
  EXPECT_EQ(schedule.scratch_bytes(), 0u);
}

TEST(Builder, DependenciesBecomeSuccessorsAndIndegrees) {
  ScheduleBuilder builder;
  const TaskId a = builder.recv(Peer::rank(1), output());
  const TaskId b = builder.send(Peer::rank(2), output(), a);
  const TaskId c = builder.copy(output(), builder.scratch(k_bytes), {a, b});
  const Schedule schedule = finish(builder);
  EXPECT_EQ(schedule.indegree(a), 0u);
  EXPECT_EQ(schedule.indegree(b), 1u);
  EXPECT_EQ(schedule.indegree(c), 2u);
  EXPECT_EQ(successors(schedule, a), (std::vector<TaskId>{b, c}));
  EXPECT_EQ(successors(schedule, b), std::vector<TaskId>{c});
}

TEST(Builder, NothingToMoveKeepsItsPlaceInTheOrder) {
  ScheduleBuilder builder;
  const TaskId a = builder.recv(Peer::rank(1), output());
  EXPECT_EQ(builder.send(Peer::rank(2), output(0, 0), a), a);
  EXPECT_EQ(builder.copy(output(), output(), a), a);
  EXPECT_EQ(builder.reduce(input(0, 0), output(0, 0)), k_no_task);
  EXPECT_EQ(finish(builder).size(), 1u);
}

TEST(Builder, NotifyCarriesNothingButIsATask) {
  ScheduleBuilder builder;
  builder.notify(Peer::rank(1));
  EXPECT_EQ(finish(builder).size(), 1u);
}

TEST(Builder, JoinOfOneIsThatOne) {
  ScheduleBuilder builder;
  const TaskId a = builder.notify(Peer::rank(1));
  const TaskId b = builder.notify(Peer::rank(2));
  EXPECT_EQ(builder.join({}), k_no_task);
  EXPECT_EQ(builder.join({a, k_no_task}), a);
  const TaskId both = builder.join({a, b});
  const Schedule schedule = finish(builder);
  EXPECT_EQ(schedule.tasks()[both].kind, TaskKind::nop);
  EXPECT_EQ(schedule.indegree(both), 2u);
}

TEST(Builder, HugeMessagesAreSplitAlikeOnBothSides) {
  constexpr uint64_t k_huge = 2 * ScheduleBuilder::k_max_message_bytes + 5;
  SmallProblem p(2);
  p.contents(0).input = {{.length = k_huge}};
  p.contents(1).output_after = {{.length = k_huge}};
  p[0].send(Peer::rank(1), input(0, k_huge));
  p[1].recv(Peer::rank(0), output(0, k_huge));
  const VerifyReport report = p.verify();
  EXPECT_TRUE(report.is_ok()) << report.message;
  EXPECT_EQ(report.counts.messages, 3u);
}

TEST(Builder, MemoryIsAlignedAndDisjoint) {
  ScheduleBuilder builder;
  const BufRef a = builder.scratch(10), b = builder.scratch(1), c = builder.node(7);
  EXPECT_EQ(a.offset, 0u);
  EXPECT_EQ(b.offset % 64, 0u);
  EXPECT_GE(b.offset, a.end());
  EXPECT_EQ(c.slot, Slot::node);
  const Schedule schedule = finish(builder);
  EXPECT_GE(schedule.scratch_bytes(), b.end());
  EXPECT_GE(schedule.node_bytes(), 7u);
}

TEST(Builder, NestedScheduleIsMovedToItsPlace) {
  ScheduleBuilder inner;
  const BufRef temporary = inner.scratch(8);
  const TaskId arrived = inner.recv(Peer::rank(1), temporary);
  inner.copy(temporary, output(4, 8), arrived);
  const Schedule nested = finish(inner);

  ScheduleBuilder outer;
  outer.scratch(100);
  const TaskId gate = outer.notify(Peer::rank(3));
  const Peer peers[] = {Peer::local(5), Peer::node(7)};
  const Nested inlined = outer.nest(nested, {.output = output(32, 64), .peers = peers}, gate);
  const TaskId after = outer.notify(Peer::rank(3), inlined.done);
  const Schedule schedule = finish(outer);

  ASSERT_EQ(schedule.size(), 4u);
  const Task& recv = schedule.tasks()[1];
  const Task& copy = schedule.tasks()[2];
  EXPECT_EQ(recv.peer, Peer::node(7));
  EXPECT_GE(recv.target.offset, 100u);
  EXPECT_EQ(copy.source, recv.target);
  EXPECT_EQ(copy.target, output(36, 8));
  EXPECT_EQ(successors(schedule, gate), std::vector<TaskId>{1});
  EXPECT_EQ(successors(schedule, 2), std::vector<TaskId>{after});
}

TEST(Builder, PriorityBelongsToTheTasksAddedFromThereOn) {
  ScheduleBuilder builder;
  builder.notify(Peer::rank(1));
  builder.set_priority(3);
  builder.notify(Peer::rank(1));
  const Schedule schedule = finish(builder);
  EXPECT_EQ(schedule.tasks()[0].priority, 0);
  EXPECT_EQ(schedule.tasks()[1].priority, 3);
}

/// finish() must fail with a message that has `words`.
template <class Write>
void expect_refused(Write write, const std::string& words) {
  ScheduleBuilder builder;
  write(builder);
  const auto result = std::move(builder).finish();
  ASSERT_FALSE(result.is_ok()) << words;
  EXPECT_NE(result.status().message().find(words), std::string::npos) << result.status().message();
}

TEST(Builder, RefusesWhatCannotBe) {
  expect_refused([](ScheduleBuilder& b) { b.recv(Peer::rank(0), input()); }, "writes to the input");
  expect_refused([](ScheduleBuilder& b) { b.copy(input(0, 4), output(0, 8)); }, "differ in length");
  expect_refused([](ScheduleBuilder& b) { b.copy(input(), b.scratch(8).part(0, k_bytes)); }, "outside");
  expect_refused([](ScheduleBuilder& b) { b.send({}, input()); }, "without a peer");
  expect_refused([](ScheduleBuilder& b) { b.notify(Peer::rank(-1)); }, "without a peer");
  expect_refused([](ScheduleBuilder& b) { b.notify(Peer::rank(0), TaskId{0}); }, "not before it");
  expect_refused([](ScheduleBuilder& b) { b.notify(Peer::rank(0), TaskId{7}); }, "not before it");
}

}  // namespace
}  // namespace tutti::schedule
