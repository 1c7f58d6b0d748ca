// Time reversal of schedules.

#include "schedule/transposed.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "small_problem.hpp"

namespace tutti::schedule {
namespace {

/// Forwards the first half of a message and keeps the second.
Schedule forwarding() {
  ScheduleBuilder builder;
  const BufRef landing = builder.scratch(k_bytes);
  builder.set_priority(2);
  const TaskId arrived = builder.recv(Peer::rank(1), landing);
  const TaskId sent = builder.send(Peer::local(2), landing.part(0, k_bytes / 2), arrived);
  const TaskId kept = builder.copy(landing.part(k_bytes / 2, k_bytes / 2), output(0, k_bytes / 2), arrived);
  builder.join({sent, kept});
  return std::move(builder).finish().value();
}

Schedule transposed_of(const Schedule& schedule) {
  return transposed(schedule).value();
}

TEST(Transposed, MessagesAndCopiesGoTheOtherWayInTheOppositeOrder) {
  const Schedule back = transposed_of(forwarding());
  ASSERT_EQ(back.size(), 3u);
  const Task &copy = back.tasks()[0], &recv = back.tasks()[1], &send = back.tasks()[2];
  EXPECT_EQ(copy.kind, TaskKind::copy);
  EXPECT_EQ(copy.source, input(0, k_bytes / 2));
  EXPECT_EQ(recv.kind, TaskKind::recv);
  EXPECT_EQ(recv.peer, Peer::local(2));
  EXPECT_EQ(send.kind, TaskKind::send);
  EXPECT_EQ(send.peer, Peer::rank(1));
  EXPECT_EQ(send.source.length, k_bytes);
  EXPECT_EQ(send.priority, 2u);
  EXPECT_EQ(back.indegree(0) + back.indegree(1), 0u);
  EXPECT_EQ(back.indegree(2), 2u);
  EXPECT_EQ(back.scratch_bytes(), forwarding().scratch_bytes());
}

TEST(Transposed, TwiceIsTheScheduleItself) {
  const Schedule once = forwarding(), twice = transposed_of(transposed_of(once));
  ASSERT_EQ(twice.size(), 3u);  // without the join, after which nothing comes
  for (TaskId id = 0; id < twice.size(); ++id) {
    const Task &before = once.tasks()[id], &after = twice.tasks()[id];
    EXPECT_EQ(after.kind, before.kind);
    EXPECT_EQ(after.peer, before.peer);
    EXPECT_EQ(after.source, before.source);
    EXPECT_EQ(after.target, before.target);
    EXPECT_EQ(twice.indegree(id), once.indegree(id));
  }
}

TEST(Transposed, SignalsStaySignals) {
  ScheduleBuilder builder;
  builder.notify(Peer::rank(1), builder.await(Peer::rank(2)));
  const Schedule back = transposed_of(std::move(builder).finish().value());
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back.tasks()[0].kind, TaskKind::recv);
  EXPECT_EQ(back.tasks()[0].peer, Peer::rank(1));
  EXPECT_EQ(back.tasks()[1].kind, TaskKind::send);
  EXPECT_EQ(back.tasks()[1].peer, Peer::rank(2));
}

TEST(Transposed, GatherIsScatterReversed) {
  SmallProblem p(3);
  for (Rank r = 1; r < 3; ++r) p.contents(r).input = {{.length = 8, .first = r}};
  p.contents(0).output_after = {{.at = 0, .length = 8, .first = 1}, {.at = 8, .length = 8, .first = 2}};
  ScheduleBuilder root, inner, leaf;
  root.send(Peer::rank(1), input());
  const BufRef landing = inner.scratch(k_bytes);
  const TaskId arrived = inner.recv(Peer::rank(0), landing);
  inner.send(Peer::rank(2), landing.part(8, 8), arrived);
  inner.copy(landing.part(0, 8), output(0, 8), arrived);
  leaf.recv(Peer::rank(1), output(0, 8));
  const Peer peers[] = {Peer::rank(0), Peer::rank(1), Peer::rank(2)};
  ScheduleBuilder* const scatter[] = {&root, &inner, &leaf};
  for (Rank r = 0; r < 3; ++r)
    p[r].nest(transposed_of(std::move(*scatter[r]).finish().value()),
              {.input = input(), .output = output(), .peers = peers});
  const VerifyReport report = p.verify();
  EXPECT_TRUE(report.is_ok()) << report.message;
}

TEST(Transposed, ReductionsHaveNone) {
  ScheduleBuilder builder;
  builder.reduce(input(), output());
  const auto back = transposed(std::move(builder).finish().value());
  EXPECT_FALSE(back);
}

}  // namespace
}  // namespace tutti::schedule
