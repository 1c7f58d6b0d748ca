#include "tests/support/transport/loopback.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <vector>

namespace tutti::transport {
namespace {

using base::Code;

class Loopback : public testing::Test {
 protected:
  static std::vector<std::byte> bytes(size_t count, int value) {
    return std::vector<std::byte>(count, static_cast<std::byte>(value));
  }
  /// The operations that have ended at this rank, oldest first.
  std::vector<Completion> poll(schedule::Rank rank) {
    std::array<Completion, 8> done;
    const size_t count = fabric_.endpoint(rank).poll(done);
    return {done.begin(), done.begin() + static_cast<ptrdiff_t>(count)};
  }
  bool ends_well(schedule::Rank rank, uint64_t cookie) {
    const auto done = poll(rank);
    return done.size() == 1 && done[0].cookie == cookie && done[0].code == Code::ok;
  }

  // Ranks 0, 1 on node 0; 2, 3 on node 1.
  LoopbackFabric fabric_{std::array<int32_t, 4>{0, 0, 1, 1}, {.eager_bytes = 16, .waiting_count = 2}};
  std::vector<std::byte> target_ = bytes(100, 0);
};

TEST_F(Loopback, ShortMessagesEndAtTheSenderAtOnce) {
  auto message = bytes(16, 7);
  ASSERT_TRUE(fabric_.endpoint(0).send(Peer::rank(1), 5, message, 11));
  EXPECT_TRUE(ends_well(0, 11));
  message.assign(16, std::byte{9});  // the sender's memory is its own again
  ASSERT_TRUE(fabric_.endpoint(1).recv(Peer::rank(0), 5, std::span(target_).first(16), 22));
  EXPECT_TRUE(ends_well(1, 22));
  EXPECT_EQ(target_[15], std::byte{7});
}

TEST_F(Loopback, LongMessagesWaitForTheirReceiver) {
  const auto message = bytes(17, 7);
  ASSERT_TRUE(fabric_.endpoint(0).send(Peer::rank(1), 5, message, 11));
  EXPECT_TRUE(poll(0).empty());
  ASSERT_TRUE(fabric_.endpoint(1).recv(Peer::rank(0), 5, std::span(target_).first(17), 22));
  EXPECT_TRUE(ends_well(0, 11));
  EXPECT_TRUE(ends_well(1, 22));
  EXPECT_EQ(target_[16], std::byte{7});
}

TEST_F(Loopback, MessagesMeetBySenderKindAndTagInOrder) {
  std::array<std::byte, 5> got{};
  const auto post = [&](Peer from, Tag tag, size_t at) {
    ASSERT_TRUE(fabric_.endpoint(1).recv(from, tag, std::span(got).subspan(at, 1), at));
  };
  post(Peer::rank(0), 1, 0);
  post(Peer::rank(0), 1, 1);
  post(Peer::rank(0), 2, 2);
  post(Peer::rank(2), 1, 3);
  post(Peer::local(0), 1, 4);
  const auto send = [&](schedule::Rank from, Peer to, Tag tag, int value) {
    ASSERT_TRUE(fabric_.endpoint(from).send(to, tag, bytes(1, value), 0));
  };
  send(2, Peer::rank(1), 1, 13);
  send(0, Peer::local(1), 1, 14);
  send(0, Peer::rank(1), 2, 12);
  send(0, Peer::rank(1), 1, 10);
  send(0, Peer::rank(1), 1, 11);
  for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(std::to_integer<int>(got[i]), 10 + static_cast<int>(i));
  EXPECT_EQ(poll(1).size(), 5u);
}

TEST_F(Loopback, AReceiveThatNoMessageHasMetCanBeCancelled) {
  Endpoint& endpoint = fabric_.endpoint(1);
  ASSERT_TRUE(fabric_.lead(1, 5));
  for (const Peer from : {Peer::rank(0), Peer::local(0), Peer::node(1)})
    for (const uint64_t cookie : {1, 2})
      ASSERT_TRUE(endpoint.recv(from, 5, std::span(target_).first(4), cookie));
  endpoint.cancel(3);
  EXPECT_TRUE(poll(1).empty()) << "there is no such receive";
  for (int i = 0; i < 3; ++i) endpoint.cancel(2);
  const auto ended = poll(1);
  ASSERT_EQ(ended.size(), 3u);
  for (const Completion& end : ended) {
    EXPECT_EQ(end.cookie, 2u);
    EXPECT_EQ(end.code, Code::system);
    EXPECT_EQ(end.native, ECANCELED);
  }
  ASSERT_TRUE(fabric_.endpoint(0).send(Peer::rank(1), 5, bytes(4, 7), 0));
  EXPECT_TRUE(ends_well(1, 1)) << "the other receive is still there";
  endpoint.cancel(1);
  endpoint.cancel(1);
  EXPECT_EQ(poll(1).size(), 2u);
  EXPECT_EQ(fabric_.waiting_count(), 0u);
}

TEST_F(Loopback, WhatIsNoWaitingReceiveIsNotCancelled) {
  const auto message = bytes(100, 7);
  ASSERT_TRUE(fabric_.endpoint(0).send(Peer::rank(1), 5, message, 11));
  fabric_.endpoint(0).cancel(11);
  EXPECT_TRUE(poll(0).empty()) << "a send stays where it is";
  ASSERT_TRUE(fabric_.endpoint(1).recv(Peer::rank(0), 5, target_, 22));
  fabric_.endpoint(1).cancel(22);
  EXPECT_TRUE(ends_well(1, 22)) << "it had met its message";
  EXPECT_TRUE(ends_well(0, 11));
  fabric_.endpoint(1).cancel(22);
  EXPECT_TRUE(poll(1).empty()) << "it has been reported";
}

TEST_F(Loopback, AFullBufferRefusesItsSenderAndTagOnly) {
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(fabric_.endpoint(0).send(Peer::rank(1), 5, bytes(1, i), 0));
  EXPECT_TRUE(is_try_again(fabric_.endpoint(0).send(Peer::rank(1), 5, bytes(1, 9), 0)));
  EXPECT_TRUE(fabric_.endpoint(0).send(Peer::rank(1), 6, bytes(1, 9), 0));
  EXPECT_TRUE(fabric_.endpoint(2).send(Peer::rank(1), 5, bytes(1, 9), 0));
  ASSERT_TRUE(fabric_.endpoint(1).recv(Peer::rank(0), 5, std::span(target_).first(1), 0));
  EXPECT_TRUE(fabric_.endpoint(0).send(Peer::rank(1), 5, bytes(1, 2), 0));
}

TEST_F(Loopback, AMessageOfAnotherLengthIsAnError) {
  for (const size_t sent : {3, 5}) {
    ASSERT_TRUE(fabric_.endpoint(1).recv(Peer::rank(0), 5, std::span(target_).first(4), 22));
    ASSERT_TRUE(fabric_.endpoint(0).send(Peer::rank(1), 5, bytes(sent, 1), 11));
    const auto done = poll(1);
    ASSERT_EQ(done.size(), 1u);
    EXPECT_EQ(done[0].code, Code::invalid_argument);
    EXPECT_EQ(target_[4], std::byte{0});
  }
}

TEST_F(Loopback, ANodesMessagesWaitForItsLeader) {
  ASSERT_TRUE(fabric_.lead(1, 5));
  const auto message = bytes(30, 7);
  ASSERT_TRUE(fabric_.endpoint(1).send(Peer::node(1), 5, message, 11));
  EXPECT_TRUE(poll(1).empty());
  EXPECT_FALSE(fabric_.endpoint(3).recv(Peer::node(0), 5, std::span(target_).first(30), 22))
      << "does not lead";
  ASSERT_TRUE(fabric_.lead(3, 5));
  ASSERT_TRUE(fabric_.endpoint(3).recv(Peer::node(0), 5, std::span(target_).first(30), 22));
  EXPECT_TRUE(ends_well(1, 11));
  EXPECT_TRUE(ends_well(3, 22));
  EXPECT_EQ(target_[29], std::byte{7});
}

TEST_F(Loopback, ANodeHasOneLeaderPerTag) {
  ASSERT_TRUE(fabric_.lead(0, 5));
  EXPECT_TRUE(fabric_.lead(0, 5));
  EXPECT_EQ(fabric_.lead(1, 5).code(), Code::invalid_argument);
  EXPECT_TRUE(fabric_.lead(1, 6));
  EXPECT_TRUE(fabric_.lead(2, 5)) << "of another node";
  fabric_.resign(1, 5);  // never led it
  EXPECT_FALSE(fabric_.lead(1, 5));
  fabric_.resign(0, 5);
  EXPECT_TRUE(fabric_.lead(1, 5));
}

TEST_F(Loopback, FailureEndsEverythingThatWaits) {
  const auto message = bytes(50, 1);
  ASSERT_TRUE(fabric_.endpoint(0).send(Peer::rank(1), 5, message, 11));
  ASSERT_TRUE(fabric_.endpoint(2).recv(Peer::rank(3), 5, target_, 22));
  EXPECT_EQ(fabric_.waiting_count(), 2u);
  fabric_.fail();
  for (const auto& [rank, cookie] : {std::pair(0, 11u), std::pair(2, 22u)}) {
    const auto done = poll(rank);
    ASSERT_EQ(done.size(), 1u);
    EXPECT_EQ(done[0].cookie, cookie);
    EXPECT_EQ(done[0].code, Code::system);
    EXPECT_EQ(done[0].native, ECONNRESET);
  }
  ASSERT_TRUE(fabric_.endpoint(1).recv(Peer::rank(0), 5, target_, 33));
  EXPECT_EQ(poll(1).at(0).native, ECONNRESET);
  EXPECT_EQ(fabric_.waiting_count(), 0u);
}

TEST_F(Loopback, UnknownPeersAreRefused) {
  for (const Peer peer : {Peer{}, Peer::rank(4), Peer::rank(-1), Peer::node(2)}) {
    EXPECT_EQ(fabric_.endpoint(0).send(peer, 0, {}, 0).code(), Code::invalid_argument);
    EXPECT_EQ(fabric_.endpoint(0).recv(peer, 0, {}, 0).code(), Code::invalid_argument);
  }
}

}  // namespace
}  // namespace tutti::transport
