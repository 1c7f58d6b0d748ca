// Accesses of different ranks to their node's memory: only what an eager message guarantees counts as order.

#include <gtest/gtest.h>

#include "small_problem.hpp"

namespace tutti::schedule {
namespace {

/// Two ranks of one node; rank 0 publishes a message in the node's memory, rank 1 copies it out.
class NodeMemory : public testing::Test {
 protected:
  NodeMemory() : p_(2) {
    p_.bcast().nodes({0, 0}, {0});
    for (Rank r = 0; r < 2; ++r) chunk_ = p_[r].node(k_bytes);
  }
  SmallProblem p_;
  BufRef chunk_;
};

TEST_F(NodeMemory, MessageAfterTheWriteOrdersTheRead) {
  const TaskId written = p_[0].copy(output(), chunk_);
  p_[0].notify(Peer::local(1), written);
  const TaskId told = p_[1].await(Peer::local(0));
  p_[1].copy(chunk_, output(), told);
  const VerifyReport report = p_.verify();
  EXPECT_TRUE(report.is_ok()) << report.message;
}

TEST_F(NodeMemory, ReadWithoutAnyMessageIsARace) {
  p_[0].copy(output(), chunk_);
  p_[1].copy(chunk_, output());
  const VerifyReport report = p_.verify();
  EXPECT_EQ(report.failure, Failure::node_race) << report.message;
  EXPECT_NE(report.message.find("rank 0 task 0"), std::string::npos) << report.message;
  EXPECT_NE(report.message.find("rank 1 task 0"), std::string::npos) << report.message;
}

TEST_F(NodeMemory, MessageThatDoesNotWaitForTheWriteIsARace) {
  p_[0].copy(output(), chunk_);
  p_[0].notify(Peer::local(1));
  const TaskId told = p_[1].await(Peer::local(0));
  p_[1].copy(chunk_, output(), told);
  EXPECT_EQ(p_.verify().failure, Failure::node_race);
}

TEST_F(NodeMemory, ReadThatDoesNotWaitForTheMessageIsARace) {
  const TaskId written = p_[0].copy(output(), chunk_);
  p_[0].notify(Peer::local(1), written);
  p_[1].await(Peer::local(0));
  p_[1].copy(chunk_, output());
  EXPECT_EQ(p_.verify().failure, Failure::node_race);
}

// An eager send completes before it is received, so the sender may not proceed as if it had been received.
TEST_F(NodeMemory, CompletionOfASendProvesNothingAboutTheReceiver) {
  p_.contents(0).input = {{.length = k_bytes, .first = 1}};
  const TaskId written = p_[0].copy(output(), chunk_);
  p_[0].notify(Peer::local(1), written);
  const TaskId told = p_[1].await(Peer::local(0));
  const TaskId copied = p_[1].copy(chunk_, output(), told);
  p_[1].await(Peer::local(0), copied);
  const TaskId probed = p_[0].notify(Peer::local(1), written);
  p_[0].copy(input(), chunk_, probed);  // reuses the chunk: an acknowledgement would be needed
  EXPECT_EQ(p_.verify().failure, Failure::node_race);
}

TEST_F(NodeMemory, AcknowledgementMakesReuseSafe) {
  p_.contents(0).input = {{.length = k_bytes, .first = 1}};
  const TaskId written = p_[0].copy(output(), chunk_);
  p_[0].notify(Peer::local(1), written);
  const TaskId told = p_[1].await(Peer::local(0));
  const TaskId copied = p_[1].copy(chunk_, output(), told);
  p_[1].notify(Peer::local(0), copied);
  const TaskId acknowledged = p_[0].await(Peer::local(1), written);
  p_[0].copy(input(), chunk_, acknowledged);
  const VerifyReport report = p_.verify();
  EXPECT_TRUE(report.is_ok()) << report.message;
}

// The write lands in the other rank's read although rank 0 only receives: a transport may fill a buffer
// early.
TEST_F(NodeMemory, ReceiveIntoTheNodeMustStartAfterTheLastReader) {
  SmallProblem p(3);
  p.nodes({0, 0, 1}, {0, 2});
  BufRef chunk;
  for (Rank r = 0; r < 2; ++r) chunk = p[r].node(k_bytes);
  p.contents(0).input = {{.length = k_bytes}};
  p.contents(2).input = {{.length = k_bytes, .first = 2}};
  p.contents(1).output_after = {{.length = k_bytes}};
  const TaskId written = p[0].copy(input(), chunk);
  p[0].notify(Peer::local(1), written);
  const TaskId told = p[1].await(Peer::local(0));
  const TaskId copied = p[1].copy(chunk, output(), told);
  p[1].notify(Peer::rank(2), copied);
  const TaskId asked = p[2].await(Peer::rank(1));
  p[2].send(Peer::rank(0), input(), asked);
  p[0].recv(Peer::rank(2), chunk, written);
  EXPECT_EQ(p.verify().failure, Failure::node_race);
}

TEST_F(NodeMemory, NodesDoNotShareMemory) {
  SmallProblem p(2);
  p.bcast();
  for (Rank r = 0; r < 2; ++r) chunk_ = p[r].node(k_bytes);
  const TaskId written = p[0].copy(output(), chunk_);
  p[0].notify(Peer::rank(1), written);
  const TaskId told = p[1].await(Peer::rank(0));
  p[1].copy(chunk_, output(), told);
  EXPECT_EQ(p.verify().failure, Failure::uninitialised_read);
}

TEST_F(NodeMemory, NodePeersMeetTheirLeaders) {
  SmallProblem p(4);
  p.nodes({0, 0, 1, 1}, {1, 2});
  p.contents(1).output_before = p.contents(1).output_after =
      p.contents(2).output_after = {{.length = k_bytes, .first = 1}};
  p[1].send(Peer::node(1), output());
  p[2].recv(Peer::node(0), output());
  const VerifyReport report = p.verify();
  EXPECT_TRUE(report.is_ok()) << report.message;
}

}  // namespace
}  // namespace tutti::schedule
