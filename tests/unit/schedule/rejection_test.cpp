// Deliberately broken schedules: each is a correct one with a single mistake, and must be rejected for that
// reason, at that rank and task.

#include <gtest/gtest.h>

#include "small_problem.hpp"

namespace tutti::schedule {
namespace {

void expect_rejected(const VerifyReport& report, Failure failure, Rank rank, TaskId task) {
  EXPECT_EQ(to_string(report.failure), to_string(failure)) << report.message;
  EXPECT_EQ(report.rank, rank) << report.message;
  EXPECT_EQ(report.task, task) << report.message;
  const auto names = [&](const std::string& words) {
    return report.message.find(words) != std::string::npos;
  };
  EXPECT_TRUE(rank < 0 || names("rank " + std::to_string(rank))) << report.message;
  EXPECT_TRUE(task == k_no_task || names("task " + std::to_string(task))) << report.message;
  EXPECT_EQ(report.message.find('\n'), std::string::npos);
}

/// 0 -> 1 -> 2, correct: every mistake below starts from something like this.
SmallProblem chain_of_three() {
  SmallProblem p(3);
  p.bcast();
  p[0].send(Peer::rank(1), output());
  const TaskId arrived = p[1].recv(Peer::rank(0), output());
  p[1].send(Peer::rank(2), output(), arrived);
  p[2].recv(Peer::rank(1), output());
  return p;
}

TEST(Rejection, AcceptsTheCorrectChainAndCountsIt) {
  const VerifyReport report = chain_of_three().verify();
  EXPECT_TRUE(report.is_ok()) << report.message;
  EXPECT_EQ(report.counts.rounds, 2u);
  EXPECT_EQ(report.counts.busiest_bytes, k_bytes);
  EXPECT_EQ(report.counts.messages, 2u);
  EXPECT_EQ(report.counts.tasks, 4u);
}

// ---- structure ----

TEST(Rejection, PeerThatDoesNotExist) {
  SmallProblem p(2);
  p[0].notify(Peer::rank(2));
  expect_rejected(p.verify(), Failure::structure, 0, 0);
}

TEST(Rejection, MessageToOneself) {
  SmallProblem p(2);
  p[1].notify(Peer::rank(1));
  expect_rejected(p.verify(), Failure::structure, 1, 0);
}

TEST(Rejection, LocalPeerOnAnotherNode) {
  SmallProblem p(2);
  p[0].notify(Peer::local(1));
  p[1].await(Peer::local(0));
  expect_rejected(p.verify(), Failure::structure, 0, 0);
}

TEST(Rejection, NodeThatDoesNotExist) {
  SmallProblem p(2);
  p[0].notify(Peer::node(2));
  expect_rejected(p.verify(), Failure::structure, 0, 0);
}

TEST(Rejection, CopyOntoItself) {
  SmallProblem p(1);
  const BufRef scratch = p[0].scratch(24);
  p[0].copy(scratch.part(0, 16), scratch.part(8, 16));
  expect_rejected(p.verify(), Failure::structure, 0, 0);
}

TEST(Rejection, RanksOfANodeDisagreeAboutItsMemory) {
  SmallProblem p(2);
  p.nodes({0, 0}, {0});
  p[0].node(64);
  p[1].node(128);
  expect_rejected(p.verify(), Failure::structure, 1, k_no_task);
}

// ---- messages ----

TEST(Rejection, WrongPeer) {
  SmallProblem p(3);
  p.bcast();
  p[0].send(Peer::rank(2), output());  // should go to 1
  const TaskId arrived = p[1].recv(Peer::rank(0), output());
  p[1].send(Peer::rank(2), output(), arrived);
  p[2].recv(Peer::rank(1), output());
  const VerifyReport report = p.verify();
  expect_rejected(report, Failure::unmatched_receive, 1, 0);
}

TEST(Rejection, WrongKindOfPeer) {
  SmallProblem p(2);
  p.bcast().nodes({0, 0}, {0});
  p[0].send(Peer::local(1), output());
  p[1].recv(Peer::rank(0), output());
  expect_rejected(p.verify(), Failure::unmatched_receive, 1, 0);
}

TEST(Rejection, MissingReceive) {
  SmallProblem p(2);
  p.contents(0).output_before = p.contents(0).output_after = {{.length = k_bytes}};
  p[0].send(Peer::rank(1), output());
  expect_rejected(p.verify(), Failure::unmatched_send, 0, 0);
}

TEST(Rejection, ExtraSendAtTheEndOfAChannel) {
  SmallProblem p = chain_of_three();
  p[0].send(Peer::rank(1), output());
  expect_rejected(p.verify(), Failure::unmatched_send, 0, 1);
}

TEST(Rejection, ExtraReceiveAtTheEndOfAChannel) {
  SmallProblem p = chain_of_three();
  p[2].await(Peer::rank(1));
  expect_rejected(p.verify(), Failure::unmatched_receive, 2, 1);
}

TEST(Rejection, SizeMismatch) {
  SmallProblem p(2);
  p.bcast();
  p[0].send(Peer::rank(1), output());
  p[1].recv(Peer::rank(0), output(0, 12));
  expect_rejected(p.verify(), Failure::size_mismatch, 1, 0);
}

TEST(Rejection, MessagesOfDifferentSizeInTheWrongOrder) {
  SmallProblem p(2);
  p.bcast();
  p[0].send(Peer::rank(1), output(0, 4));
  p[0].send(Peer::rank(1), output(4, 12));
  p[1].recv(Peer::rank(0), output(4, 12));
  p[1].recv(Peer::rank(0), output(0, 4));
  expect_rejected(p.verify(), Failure::size_mismatch, 1, 0);
}

// ---- deadlock ----

TEST(Rejection, ExchangeThatSendsBeforeItReceives) {
  SmallProblem p(2);
  for (Rank r = 0; r < 2; ++r) {
    p.contents(r).input = {{.length = k_bytes, .first = r}};
    p.contents(r).output_after = {{.length = k_bytes, .first = 1 - r}};
    const TaskId sent = p[r].send(Peer::rank(1 - r), input());
    p[r].recv(Peer::rank(1 - r), output(), sent);
  }
  const VerifyReport report = p.verify();
  expect_rejected(report, Failure::deadlock, 0, 0);
  EXPECT_NE(report.message.find("rank 1 task 0"), std::string::npos) << "names the other blocked head too";
}

TEST(Rejection, TheSameExchangeWithoutThatDependencyIsFine) {
  SmallProblem p(2);
  for (Rank r = 0; r < 2; ++r) {
    p.contents(r).input = {{.length = k_bytes, .first = r}};
    p.contents(r).output_after = {{.length = k_bytes, .first = 1 - r}};
    p[r].send(Peer::rank(1 - r), input());
    p[r].recv(Peer::rank(1 - r), output());
  }
  const VerifyReport report = p.verify();
  EXPECT_TRUE(report.is_ok()) << report.message;
}

TEST(Rejection, RingOfThreeThatSendsFirst) {
  SmallProblem p(3);
  for (Rank r = 0; r < 3; ++r) {
    const TaskId sent = p[r].notify(Peer::rank((r + 1) % 3));
    p[r].await(Peer::rank((r + 2) % 3), sent);
  }
  expect_rejected(p.verify(), Failure::deadlock, 0, 0);
}

// Only the order of the channel blocks: the first message waits for something that comes after the second.
TEST(Rejection, ChannelWhoseHeadWaitsForItsTail) {
  SmallProblem p(2);
  const TaskId answered = p[0].await(Peer::rank(1));
  p[0].notify(Peer::rank(1), answered);
  p[0].notify(Peer::rank(1));
  p[1].await(Peer::rank(0));
  const TaskId second = p[1].await(Peer::rank(0));
  p[1].notify(Peer::rank(0), second);
  expect_rejected(p.verify(), Failure::deadlock, 1, 0);
}

// ---- order of accesses ----

TEST(Rejection, MissingDependency) {
  SmallProblem p(3);
  p.bcast();
  p[0].send(Peer::rank(1), output());
  p[1].recv(Peer::rank(0), output());
  p[1].send(Peer::rank(2), output());  // should wait for the receive
  p[2].recv(Peer::rank(1), output());
  expect_rejected(p.verify(), Failure::race, 1, 1);
}

TEST(Rejection, OverlappingWrites) {
  SmallProblem p(3);
  p.contents(1).input = p.contents(2).input = {{.length = k_bytes}};
  p[1].send(Peer::rank(0), input());
  p[2].send(Peer::rank(0), input());
  const BufRef scratch = p[0].scratch(2 * k_bytes);
  p[0].recv(Peer::rank(1), scratch.part(0, k_bytes));
  p[0].recv(Peer::rank(2), scratch.part(k_bytes - 1, k_bytes));  // one byte too early
  const VerifyReport report = p.verify();
  expect_rejected(report, Failure::race, 0, 1);
  EXPECT_NE(report.message.find("scratch byte 15"), std::string::npos) << report.message;
}

// Two receives of one channel start in order but may be in flight together: their order proves nothing.
TEST(Rejection, ChannelOrderIsNoOrderOfAccesses) {
  SmallProblem p(2);
  p.bcast();
  for (int i = 0; i < 2; ++i) {
    p[0].send(Peer::rank(1), output());
    p[1].recv(Peer::rank(0), output());
  }
  expect_rejected(p.verify(), Failure::race, 1, 1);
}

TEST(Rejection, OverwritingWhatIsStillBeingSent) {
  SmallProblem p(2);
  p.contents(0).input = {{.length = 2 * k_bytes}};
  p.contents(1).output_after = {{.length = 2 * k_bytes}};
  const BufRef scratch = p[0].scratch(k_bytes);
  const TaskId first = p[0].copy(input(0), scratch);
  p[0].send(Peer::rank(1), scratch, first);
  const TaskId second = p[0].copy(input(k_bytes), scratch, first);  // should wait for the send
  p[0].send(Peer::rank(1), scratch, second);
  p[1].recv(Peer::rank(0), output(0));
  p[1].recv(Peer::rank(0), output(k_bytes));
  expect_rejected(p.verify(), Failure::race, 0, 2);
}

TEST(Rejection, OrderThroughAnIntermediateTaskIsOrder) {
  SmallProblem p(1);
  p.contents(0).input = {{.length = 2 * k_bytes}};
  p.contents(0).output_after = {{.length = k_bytes, .origin = k_bytes}};
  const TaskId first = p[0].copy(input(0), output());
  const TaskId other = p[0].copy(input(0), p[0].scratch(k_bytes), first);
  p[0].copy(input(k_bytes), output(), other);
  const VerifyReport report = p.verify();
  EXPECT_TRUE(report.is_ok()) << report.message;
}

// ---- contents ----

TEST(Rejection, ReadOfUninitialisedScratch) {
  SmallProblem p(1);
  p.contents(0).input = {{.length = k_bytes}};
  p.contents(0).output_after = {{.length = k_bytes}};
  const BufRef scratch = p[0].scratch(k_bytes);
  const TaskId filled = p[0].copy(input(0, 12), scratch.part(0, 12));
  p[0].copy(scratch, output(), filled);
  const VerifyReport report = p.verify();
  expect_rejected(report, Failure::uninitialised_read, 0, 1);
  EXPECT_NE(report.message.find("byte 12"), std::string::npos) << report.message;
}

TEST(Rejection, ReadBeyondTheInput) {
  SmallProblem p(2);
  p.bcast();
  p[0].send(Peer::rank(1), output(0, k_bytes + 1));
  p[1].recv(Peer::rank(0), output(0, k_bytes + 1));
  expect_rejected(p.verify(), Failure::uninitialised_read, 0, 0);
}

TEST(Rejection, WrongBlock) {
  SmallProblem p(2);
  p.contents(0).input = {{.length = 2 * k_bytes}};
  p.contents(1).output_after = {{.length = k_bytes, .origin = k_bytes}};
  p[0].send(Peer::rank(1), input(0));  // should be the second block
  p[1].recv(Peer::rank(0), output());
  expect_rejected(p.verify(), Failure::wrong_result, 1, 0);
}

TEST(Rejection, ResultOnlyPartlyWritten) {
  SmallProblem p(2);
  p.bcast();
  p[0].send(Peer::rank(1), output(0, 12));
  p[1].recv(Peer::rank(0), output(0, 12));
  const VerifyReport report = p.verify();
  expect_rejected(report, Failure::wrong_result, 1, k_no_task);
  EXPECT_NE(report.message.find("byte 12 was never written"), std::string::npos) << report.message;
}

TEST(Rejection, WriteIntoAGapOfTheResult) {
  SmallProblem p(2);
  p.contents(0).input = {{.length = k_bytes}};
  p.contents(1).output_after = {{.at = 0, .length = 4}, {.at = 8, .length = 8, .origin = 8}};
  p[0].send(Peer::rank(1), input());
  p[1].recv(Peer::rank(0), output());  // also covers bytes 4 to 7
  const VerifyReport report = p.verify();
  expect_rejected(report, Failure::stray_write, 1, 0);
  EXPECT_NE(report.message.find("output byte 4 "), std::string::npos) << report.message;
}

TEST(Rejection, WriteToTheOutputOfARankWithoutResult) {
  SmallProblem p(2);
  p.reduce();
  p.contents(0).output_after.clear();
  p[0].send(Peer::rank(1), input());
  p[1].recv(Peer::rank(0), output());
  expect_rejected(p.verify(), Failure::stray_write, 1, 0);
}

// ---- reductions ----

/// Rank 0 reduces what ranks 1 and 2 send to it.
SmallProblem linear_reduce(OperandOrder order) {
  SmallProblem p(3);
  p.reduce().not_commutative();
  TaskId done = p[0].copy(input(), output());
  for (Rank r = 1; r < 3; ++r) {
    p[r].send(Peer::rank(0), input());
    const BufRef operand = p[0].scratch(k_bytes);
    const TaskId arrived = p[0].recv(Peer::rank(r), operand);
    done = p[0].reduce(operand, output(), {done, arrived}, order);
  }
  return p;
}

TEST(Rejection, OperandsInRankOrderAreFine) {
  const VerifyReport report = linear_reduce(OperandOrder::target_first).verify();
  EXPECT_TRUE(report.is_ok()) << report.message;
}

TEST(Rejection, SwappedOperandsOfANonCommutativeReduction) {
  const VerifyReport report = linear_reduce(OperandOrder::source_first).verify();
  expect_rejected(report, Failure::wrong_order, 0, 4);
  EXPECT_NE(report.message.find("ranks 2,1,0"), std::string::npos) << report.message;
}

TEST(Rejection, SwappedOperandsDoNotMatterToACommutativeOne) {
  SmallProblem p(2);
  p.reduce();
  p[1].send(Peer::rank(0), input());
  const TaskId arrived = p[0].recv(Peer::rank(1), output());
  p[0].reduce(input(), output(), arrived, OperandOrder::target_first);
  const VerifyReport report = p.verify();
  EXPECT_TRUE(report.is_ok()) << report.message;
}

TEST(Rejection, MissingContribution) {
  SmallProblem p(2);
  p.reduce();
  p[0].copy(input(), output());
  expect_rejected(p.verify(), Failure::wrong_result, 0, 0);
}

TEST(Rejection, RankCountedTwice) {
  SmallProblem p(2);
  p.reduce();
  p[1].send(Peer::rank(0), input());
  const TaskId arrived = p[0].recv(Peer::rank(1), output());
  const TaskId once = p[0].reduce(input(), output(), arrived);
  p[0].reduce(input(), output(), once);
  expect_rejected(p.verify(), Failure::bad_reduction, 0, 2);
}

TEST(Rejection, MisalignedOperands) {
  SmallProblem p(2);
  p.reduce();
  p[1].send(Peer::rank(0), input());
  const BufRef operand = p[0].scratch(k_bytes);
  const TaskId arrived = p[0].recv(Peer::rank(1), operand);
  const TaskId copied = p[0].copy(input(), output(), arrived);
  p[0].reduce(operand.part(4, 8), output(0, 8), copied);
  expect_rejected(p.verify(), Failure::bad_reduction, 0, 2);
}

TEST(Rejection, SegmentThatCutsAnElement) {
  SmallProblem p(2);
  p.reduce().element_bytes(8);
  p[1].send(Peer::rank(0), input());
  const TaskId arrived = p[0].recv(Peer::rank(1), output());
  const TaskId half = p[0].reduce(input(0, 8), output(0, 8), arrived);
  const TaskId cut = p[0].reduce(input(8, 4), output(8, 4), half);
  p[0].reduce(input(12, 4), output(12, 4), cut);
  expect_rejected(p.verify(), Failure::bad_reduction, 0, 2);
}

// ---- synchronisation ----

TEST(Rejection, BarrierThatWaitsForNotEverybody) {
  SmallProblem p(3);
  p.synchronises();
  p[1].notify(Peer::rank(0));
  p[2].notify(Peer::rank(0));
  p[0].await(Peer::rank(1));
  const TaskId second = p[0].await(Peer::rank(2));
  p[0].notify(Peer::rank(1), second);  // should wait for rank 1 too, for the sake of rank 2
  p[0].notify(Peer::rank(2), second);
  p[1].await(Peer::rank(0));
  p[2].await(Peer::rank(0));
  expect_rejected(p.verify(), Failure::not_synchronised, 2, k_no_task);
}

}  // namespace
}  // namespace tutti::schedule
