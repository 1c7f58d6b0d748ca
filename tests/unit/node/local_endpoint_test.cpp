// The promises of LocalEndpoint one by one, with both ranks driven by this thread.

#include <algorithm>
#include <optional>

#include "node/local_endpoint.hpp"
#include "node/shared_mailbox.hpp"
#include "support.hpp"

namespace tutti::node::test {
namespace {

using base::Code;
using transport::Completion;
using transport::Peer;

class Pair : public ::testing::Test {
 protected:
  void start(const RegionShape& shape = {}, bool one_copy = true, uint32_t rank_count = 2) {
    arena_ = make_arena(rank_count);
    for (uint32_t i = 0; i < rank_count; ++i) {
      ranks_.push_back(std::make_unique<LocalRank>(*arena_, i, rank_count, shape, one_copy));
    }
  }
  LocalEndpoint& endpoint(uint32_t rank) { return ranks_[rank]->endpoint(); }

  base::Status send(uint32_t from, uint32_t to, std::span<const std::byte> data, uint32_t tag = 0) {
    return endpoint(from).send(Peer::local(static_cast<Rank>(to)), tag, data, 100 + to);
  }
  base::Status recv(uint32_t at, uint32_t from, std::span<std::byte> data, uint32_t tag = 0) {
    return endpoint(at).recv(Peer::local(static_cast<Rank>(from)), tag, data, 200 + from);
  }
  std::optional<Completion> poll(uint32_t rank) {
    Completion done;
    return endpoint(rank).poll({&done, 1}) == 1 ? std::optional(done) : std::nullopt;
  }
  /// Polls both sides until the receive at `at` has ended.
  Completion finish(uint32_t at, uint32_t from) {
    for (int i = 0; i < 10'000'000; ++i) {
      if (auto done = poll(at); done && done->cookie == 200 + from) return *done;
      poll(from);
    }
    ADD_FAILURE() << "the receive does not end";
    return {};
  }

  std::unique_ptr<Arena> arena_;
  std::vector<std::unique_ptr<LocalRank>> ranks_;
};

TEST_F(Pair, ShortMessagesDoNotWaitForTheReceiver) {
  start();
  for (const uint64_t bytes : {uint64_t{0}, uint64_t{8}, uint64_t{k_inline_bytes}, uint64_t{8192}}) {
    const auto data = pattern(bytes, bytes);
    ASSERT_TRUE(send(0, 1, data).is_ok());
    const auto done = poll(0);
    ASSERT_TRUE(done.has_value()) << bytes;
    EXPECT_EQ(done->cookie, 101u);
  }
  for (const uint64_t bytes : {uint64_t{0}, uint64_t{8}, uint64_t{k_inline_bytes}, uint64_t{8192}}) {
    std::vector<std::byte> got(bytes);
    ASSERT_TRUE(recv(1, 0, got).is_ok());
    ASSERT_TRUE(poll(1).has_value());
    EXPECT_EQ(got, pattern(bytes, bytes));
  }
}

TEST_F(Pair, ALongMessageEndsWhenTheReceiverHasIt) {
  start();
  const auto data = pattern(3'000'000, 1);
  ASSERT_TRUE(send(0, 1, data).is_ok());
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(poll(0).has_value());
  std::vector<std::byte> got(data.size());
  ASSERT_TRUE(recv(1, 0, got).is_ok());
  EXPECT_FALSE(poll(0).has_value());
  EXPECT_EQ(finish(1, 0).code, Code::ok);
  EXPECT_EQ(got, data);
  const auto done = poll(0);
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(done->cookie, 101u);
}

TEST_F(Pair, AFullMailboxAsksToTryAgain) {
  start({.slots = 4});
  const auto data = pattern(8, 1);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(send(0, 1, data).is_ok());
  EXPECT_TRUE(transport::is_try_again(send(0, 1, data)));
  EXPECT_TRUE(transport::is_try_again(send(0, 1, {})));
  std::vector<std::byte> got(8);
  ASSERT_TRUE(recv(1, 0, got).is_ok());
  ASSERT_TRUE(poll(1).has_value());
  EXPECT_TRUE(send(0, 1, data).is_ok());
  EXPECT_TRUE(transport::is_try_again(send(0, 1, data)));
}

TEST_F(Pair, AFullMailboxToOnePeerLeavesTheOthersAlone) {
  start({.slots = 2, .blocks = 3}, true, 3);
  const auto data = pattern(5000, 1);
  while (send(0, 1, data).is_ok()) {
  }
  std::vector<std::byte> got(data.size());
  ASSERT_TRUE(send(0, 2, data).is_ok());  // no block left for it: it goes by rendezvous
  ASSERT_TRUE(recv(2, 0, got).is_ok());
  EXPECT_EQ(finish(2, 0).code, Code::ok);
  EXPECT_EQ(got, data);
}

TEST_F(Pair, TooManyPostedReceivesAskToTryAgain) {
  start();
  std::vector<std::byte> got(8);
  for (uint32_t i = 0; i < LocalEndpoint::k_max_posted; ++i) ASSERT_TRUE(recv(1, 0, got).is_ok());
  EXPECT_TRUE(transport::is_try_again(recv(1, 0, got)));
}

TEST_F(Pair, UnreportedCompletionsAreNeverLost) {
  start({.slots = 2});
  const auto data = pattern(8, 1);
  std::vector<std::byte> got(8);
  uint32_t started = 0;
  // The sender is not polled for completions until it refuses.
  while (send(0, 1, data).is_ok()) {
    ++started;
    ASSERT_TRUE(recv(1, 0, got).is_ok());
    ASSERT_TRUE(poll(1).has_value());
    ASSERT_LT(started, 1000u);
  }
  uint32_t reported = 0;
  while (poll(0).has_value()) ++reported;
  EXPECT_EQ(reported, started);
  EXPECT_TRUE(send(0, 1, data).is_ok());
}

TEST_F(Pair, AnotherTagIsAnInternalError) {
  for (const uint64_t bytes : {8, 5000, 50'000}) {
    ranks_.clear();
    start({.slots = 2, .blocks = 3});
    const auto data = pattern(bytes, 1);
    std::vector<std::byte> got(bytes);
    for (int round = 0; round < 5; ++round) {  // the slot and the block come back
      ASSERT_TRUE(send(0, 1, data, 7).is_ok());
      ASSERT_TRUE(recv(1, 0, got, 8).is_ok());
      EXPECT_EQ(finish(1, 0).code, Code::internal);
    }
    ASSERT_TRUE(send(0, 1, data, 9).is_ok());
    ASSERT_TRUE(recv(1, 0, got, 9).is_ok());
    EXPECT_EQ(finish(1, 0).code, Code::ok);
    EXPECT_EQ(got, data);
  }
}

TEST_F(Pair, MessagesOfACancelledReceiveAreDropped) {
  for (const uint64_t bytes : {8, 5000, 50'000}) {
    ranks_.clear();
    start({.slots = 2, .blocks = 3, .counter_start = k_wraps_soon});
    const auto data = pattern(bytes, 1), late = pattern(bytes, 2);
    std::vector<std::byte> got(bytes), cancelled(bytes);
    for (uint32_t tag = 0; tag < 30; ++tag) {  // slots and blocks come back
      ASSERT_TRUE(endpoint(1).recv(Peer::local(0), 2 * tag, cancelled, 7).is_ok());
      if (tag % 2 == 0) {  // it is there, and no receive has looked at it
        ASSERT_TRUE(send(0, 1, late, 2 * tag).is_ok());
      }
      endpoint(1).cancel(8);
      endpoint(1).cancel(7);
      endpoint(1).cancel(7);
      const auto end = poll(1);
      ASSERT_TRUE(end.has_value());
      EXPECT_EQ(end->cookie, 7u);
      EXPECT_EQ(end->native, ECANCELED);
      EXPECT_FALSE(poll(1).has_value()) << "a transfer ends once";
      if (tag % 2 != 0) {
        ASSERT_TRUE(send(0, 1, late, 2 * tag).is_ok());
      }
      ASSERT_TRUE(recv(1, 0, got, 2 * tag + 1).is_ok());
      ASSERT_TRUE(send(0, 1, data, 2 * tag + 1).is_ok());
      uint32_t received = 0, sent = 0;
      for (int polls = 0; polls < 10'000'000 && received + sent < 3; ++polls) {
        if (poll(1).has_value()) ++received;
        if (poll(0).has_value()) ++sent;
      }
      EXPECT_EQ(received, 1u);
      EXPECT_EQ(sent, 2u) << "a send whose message is dropped ends as well";
      EXPECT_EQ(got, data);
      EXPECT_EQ(cancelled, std::vector<std::byte>(bytes)) << "nothing is written any more";
    }
  }
}

TEST_F(Pair, OtherReceivesKeepTheirOrderWhenOneIsCancelled) {
  start({.slots = 4});
  std::array<std::array<std::byte, 8>, 4> got{};
  for (uint64_t i = 0; i < 4; ++i) ASSERT_TRUE(endpoint(1).recv(Peer::local(0), 5, got[i], i).is_ok());
  endpoint(1).cancel(1);
  EXPECT_EQ(poll(1)->cookie, 1u);
  for (uint64_t message = 0; message < 3; ++message) ASSERT_TRUE(send(0, 1, pattern(8, message), 5).is_ok());
  for (const uint64_t cookie : {0, 2, 3}) EXPECT_EQ(poll(1)->cookie, cookie);
  EXPECT_TRUE(std::ranges::equal(got[0], pattern(8, 0)));
  EXPECT_TRUE(std::ranges::equal(got[2], pattern(8, 1)));
  EXPECT_TRUE(std::ranges::equal(got[3], pattern(8, 2)));
}

/// With one copy the receiver needs several polls for it; through shared memory the sender has to help.
TEST_F(Pair, AMessageThatIsBeingReadIsNotTornByCancel) {
  for (const bool one_copy : {true, false}) {
    ranks_.clear();
    start({}, one_copy);
    const auto data = pattern(3'000'000, 4);
    std::vector<std::byte> got(data.size());
    ASSERT_TRUE(send(0, 1, data).is_ok());
    ASSERT_TRUE(recv(1, 0, got).is_ok());
    EXPECT_FALSE(poll(1).has_value());
    endpoint(1).cancel(200);
    endpoint(0).cancel(101);
    EXPECT_EQ(finish(1, 0).code, Code::ok);
    EXPECT_EQ(got, data);
  }
}

TEST_F(Pair, AnotherLengthIsAnInvalidArgument) {
  start();
  for (const uint64_t sent : {0, 8, 300, 50'000}) {
    for (const uint64_t expected : {4, 299, 60'000}) {
      std::vector<std::byte> got(expected + 1, std::byte{1});
      const auto data = pattern(sent, 1);
      ASSERT_TRUE(send(0, 1, data).is_ok());
      ASSERT_TRUE(recv(1, 0, std::span(got).first(expected)).is_ok());
      EXPECT_EQ(finish(1, 0).code, Code::invalid_argument);
      EXPECT_EQ(std::count(got.begin(), got.end(), std::byte{1}),
                static_cast<int64_t>(got.size()));  // untouched
      while (poll(0).has_value()) {
      }
    }
  }
}

TEST_F(Pair, OnlyOtherRanksOfTheNodeArePeers) {
  start();
  std::vector<std::byte> data(8);
  for (const Peer peer : {Peer::local(0), Peer::local(2), Peer::local(-1), Peer::rank(1), Peer::node(0)}) {
    EXPECT_EQ(endpoint(0).send(peer, 0, data, 1).code(), Code::invalid_argument);
    EXPECT_EQ(endpoint(0).recv(peer, 0, data, 1).code(), Code::invalid_argument);
  }
  EXPECT_FALSE(poll(0).has_value());
}

TEST_F(Pair, RanksOfACommunicatorNeedNotBeConsecutive) {
  arena_ = make_arena(2);
  const std::vector<Rank> ranks{3, 17};
  OneCopy first(*arena_, 0), second(*arena_, 1);
  const RegionKey key{.communicator = 1, .members = ranks};
  const Region a = Region::acquire(*arena_, key, {.index = 0, .process = 0});
  const Region b = Region::acquire(*arena_, key, {.index = 1, .process = 1});
  LocalEndpoint at_a(a, first, ranks), at_b(b, second, ranks);
  const auto data = pattern(100, 1);
  std::vector<std::byte> got(100);
  ASSERT_TRUE(at_a.send(Peer::local(17), 0, data, 1).is_ok());
  ASSERT_TRUE(at_b.recv(Peer::local(3), 0, got, 2).is_ok());
  Completion done;
  ASSERT_EQ(at_b.poll({&done, 1}), 1u);
  EXPECT_EQ(got, data);
}

// The pipeline through shared memory.

TEST_F(Pair, WithoutBlocksChunksTravelInTheSlot) {
  // Receivers 1 and 2 stop half way and hold all blocks of sender 0; a message to 3 gets through all the
  // same.
  start({.slots = 2, .blocks = 3, .block_bytes = 256}, false, 4);
  const auto data = pattern(100'000, 1);
  std::vector<std::byte> got[4];
  for (uint32_t to = 1; to < 4; ++to) {
    got[to].resize(data.size());
    ASSERT_TRUE(send(0, to, data).is_ok());
    ASSERT_TRUE(recv(to, 0, got[to]).is_ok());
  }
  poll(1);  // asks for chunks
  poll(2);
  poll(0);
  EXPECT_FALSE(Pool(ranks_[0]->region(), 0).take(0).has_value());
  EXPECT_EQ(finish(3, 0).code, Code::ok);
  EXPECT_EQ(got[3], data);
  EXPECT_EQ(finish(1, 0).code, Code::ok);
  EXPECT_EQ(finish(2, 0).code, Code::ok);
  EXPECT_EQ(got[1], data);
  EXPECT_EQ(got[2], data);
}

TEST_F(Pair, ShortMessagesLeaveBlocksForChunks) {
  start({.slots = 4, .blocks = 4}, false, 3);
  const auto data = pattern(5000, 1);
  while (send(0, 1, data).is_ok()) {
  }
  const Pool pool(ranks_[0]->region(), 0);
  EXPECT_TRUE(pool.take(0).has_value());
  EXPECT_TRUE(pool.take(0).has_value());
  EXPECT_FALSE(pool.take(0).has_value());
}

TEST_F(Pair, AllBlocksComeBack) {
  start({}, false);
  const auto data = pattern(1'000'000, 1);
  std::vector<std::byte> got(data.size());
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(send(0, 1, data).is_ok());
    ASSERT_TRUE(recv(1, 0, got).is_ok());
    EXPECT_EQ(finish(1, 0).code, Code::ok);
    EXPECT_TRUE(poll(0).has_value());
  }
  const Pool pool(ranks_[0]->region(), 0);
  for (uint32_t i = 0; i < RegionShape{}.blocks; ++i) EXPECT_TRUE(pool.take(0).has_value());
}

TEST_F(Pair, FootprintIsBounded) {
  start({}, true, 8);
  EXPECT_LT(endpoint(0).footprint_bytes(), 16u << 10);  // 1,000 communicators: 16 MiB per rank
}

}  // namespace
}  // namespace tutti::node::test
