// Messages between ranks that are threads.

#include "actors/messages/mailbox.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "tests/support/sanitizer.hpp"

namespace tutti::actors {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_of(uint64_t count, int seed) {
  Bytes bytes(count);
  for (uint64_t i = 0; i < count; ++i)
    bytes[i] = static_cast<std::byte>(seed * 31 + static_cast<int>(i % 251));
  return bytes;
}

constexpr uint32_t k_context = 7;

TEST(ActorMailbox, AReceiveThatWaits) {
  Mailbox mine, theirs;
  Bytes buffer(8);
  ReceiveOperation receive;
  mine.receive({.context = k_context, .source = 3, .tag = 5}, buffer, &receive);
  EXPECT_FALSE(receive.is_done());
  SendOperation other, send;
  const Bytes data = bytes_of(8, 1);
  mine.send(theirs, {k_context, 3, 6}, data, SendMode::standard, &other);  // another tag
  EXPECT_FALSE(receive.is_done());
  mine.send(theirs, {k_context, 3, 5}, data, SendMode::standard, &send);
  ASSERT_TRUE(receive.is_done());
  EXPECT_TRUE(send.is_done());
  EXPECT_EQ(buffer, data);
  EXPECT_EQ(receive.delivery().envelope.tag, 5);
  EXPECT_EQ(receive.delivery().bytes, 8u);
}

TEST(ActorMailbox, LongMessagesAreCopiedOnce) {
  for (const bool is_posted : {false, true}) {
    Mailbox mine, theirs;
    const Bytes data = bytes_of(uint64_t{1} << 20, 2);
    Bytes buffer(data.size());
    ReceiveOperation receive;
    SendOperation send;
    if (is_posted) mine.receive({.context = k_context}, buffer, &receive);
    mine.send(theirs, {k_context, 0, 0}, data, SendMode::standard, &send);
    EXPECT_EQ(send.is_done(), is_posted);
    if (!is_posted) mine.receive({.context = k_context}, buffer, &receive);
    EXPECT_TRUE(send.is_done() && receive.is_done());
    EXPECT_EQ(buffer, data);
    EXPECT_EQ(mine.copied_bytes(), data.size());
  }
}

TEST(ActorMailbox, ASenderLetsGoOfALongMessage) {
  Mailbox mine, theirs;
  const Bytes sent = bytes_of(uint64_t{1} << 20, 4);
  Bytes data = sent, buffer(data.size());
  SendOperation send, same, must_meet;
  mine.send(theirs, {k_context, 0, 0}, data, SendMode::standard, &send);
  mine.send(theirs, {k_context, 0, 1}, data, SendMode::standard, &same);
  mine.send(theirs, {k_context, 0, 2}, data, SendMode::synchronous, &must_meet);
  EXPECT_FALSE(must_meet.can_be_let_go());
  const auto copy = DetachedCopy::of(data);
  ASSERT_NE(copy, nullptr);
  for (SendOperation* const one : {&send, &same}) {
    ASSERT_TRUE(one->can_be_let_go());
    one->detach(copy);
    EXPECT_TRUE(one->is_done());
    EXPECT_FALSE(one->can_be_let_go());
    EXPECT_EQ(one->delivery().bytes, data.size());
  }
  data.assign(data.size(), std::byte{0});
  for (const int tag : {0, 1}) {
    ReceiveOperation receive;
    mine.receive({.context = k_context, .tag = tag}, buffer, &receive);
    EXPECT_TRUE(receive.is_done());
    EXPECT_EQ(buffer, sent);
  }
}

TEST(ActorMailbox, AMessageThatHasItsReceiveIsNotLetGo) {
  Mailbox mine, theirs;
  const Bytes data = bytes_of(10'000, 4);
  SendOperation send;
  mine.send(theirs, {k_context, 0, 0}, data, SendMode::standard, &send);
  const auto taken = mine.take({.context = k_context});
  EXPECT_TRUE(send.can_be_let_go());
  send.detach(DetachedCopy::of(data));
  EXPECT_FALSE(send.is_done());
  EXPECT_FALSE(send.can_be_let_go());  // copies for nothing
}

TEST(ActorMailbox, CopiesDoNotFillTheMemory) {
  const Bytes data(DetachedCopy::k_most_bytes / 2 + 1);
  const auto first = DetachedCopy::of(data);
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(DetachedCopy::of(data), nullptr);
  EXPECT_NE(DetachedCopy::of(std::span(data).first(1000)), nullptr);
}

/// Hands its data over when it is asked.
class Elsewhere final : public DistantData {
 public:
  explicit Elsewhere(Bytes data) : data_(std::move(data)) {}
  void fetch(std::span<std::byte> buffer, ReceiveOperation* operation) override {
    const size_t bytes = std::min(buffer.size(), data_.size());
    std::memcpy(buffer.data(), data_.data(), bytes);
    Mailbox::finish(
        *operation,
        {.envelope = {k_context, 2, 4}, .bytes = data_.size(), .is_truncated = bytes < data_.size()});
  }

 private:
  Bytes data_;
};

TEST(ActorMailbox, MessagesOfOtherProcesses) {
  for (const bool is_posted : {false, true}) {
    Mailbox mine;
    const Bytes data = bytes_of(100'000, 5), few = bytes_of(10, 6);
    Bytes buffer(data.size()), small(few.size()), short_one(1000);
    ReceiveOperation long_receive, short_receive, truncated;
    const auto post = [&] {
      mine.receive({.context = k_context, .source = 2, .tag = 4}, buffer, &long_receive);
      mine.receive({.context = k_context, .source = 2, .tag = 5}, small, &short_receive);
      mine.receive({.context = k_context, .source = 2, .tag = 6}, short_one, &truncated);
    };
    if (is_posted) post();
    mine.arrive({k_context, 2, 4}, data.size(), std::make_unique<Elsewhere>(data));
    mine.arrive({k_context, 2, 5}, few);
    mine.arrive({k_context, 2, 6}, data.size(), std::make_unique<Elsewhere>(data));
    if (!is_posted) {
      const auto found = mine.probe({.context = k_context, .tag = 4});
      ASSERT_TRUE(found.has_value());
      EXPECT_EQ(found->bytes, data.size());
      post();
    }
    EXPECT_TRUE(long_receive.is_done() && short_receive.is_done() && truncated.is_done());
    EXPECT_EQ(buffer, data);
    EXPECT_EQ(small, few);
    EXPECT_TRUE(truncated.delivery().is_truncated);
    EXPECT_EQ(mine.copied_bytes(), is_posted ? few.size() : 2 * few.size());
  }
}

/// Like a group's leader that receives messages for the group.
TEST(ActorMailbox, AReceiveOfAnotherOwner) {
  Mailbox shared, leader, sender;
  Bytes buffer(4);
  ReceiveOperation receive;
  SendOperation send;
  shared.receive({.context = k_context}, buffer, &receive, leader);
  std::thread other([&] {
    shared.send(sender, {k_context, 0, 0}, bytes_of(4, 1), SendMode::standard, &send);
  });
  leader.wait(receive);
  other.join();
  EXPECT_EQ(buffer, bytes_of(4, 1));
}

TEST(ActorMailbox, ASynchronousSendWaitsForItsReceive) {
  Mailbox mine, theirs;
  SendOperation send;
  ReceiveOperation receive;
  mine.send(theirs, {k_context, 0, 0}, {}, SendMode::synchronous, &send);
  EXPECT_FALSE(send.is_done());
  mine.receive({.context = k_context}, {}, &receive);
  EXPECT_TRUE(send.is_done() && receive.is_done());
}

TEST(ActorMailbox, TooLongForItsBuffer) {
  Mailbox mine, theirs;
  Bytes buffer(3);
  SendOperation send;
  ReceiveOperation receive;
  mine.send(theirs, {k_context, 0, 0}, bytes_of(10, 3), SendMode::standard, &send);
  mine.receive({.context = k_context}, buffer, &receive);
  EXPECT_TRUE(receive.delivery().is_truncated);
  EXPECT_EQ(receive.delivery().bytes, 10u);
  EXPECT_EQ(buffer, bytes_of(3, 3));
}

TEST(ActorMailbox, AMessageThatIsTakenIsNobodyElses) {
  Mailbox mine, theirs;
  SendOperation first, second;
  mine.send(theirs, {k_context, 0, 1}, bytes_of(4, 1), SendMode::standard, &first);
  mine.send(theirs, {k_context, 0, 1}, bytes_of(5, 2), SendMode::standard, &second);
  EXPECT_EQ(mine.probe({.context = k_context})->bytes, 4u);
  EXPECT_FALSE(mine.probe({.context = k_context, .source = 1}));
  EXPECT_FALSE(mine.probe({.context = k_context + 1}));
  auto taken = mine.take({.context = k_context});
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(taken->delivery().bytes, 4u);
  EXPECT_EQ(mine.probe({.context = k_context})->bytes, 5u);
  Bytes buffer(4);
  ReceiveOperation receive;
  mine.receive(std::move(taken), buffer, &receive);
  EXPECT_EQ(buffer, bytes_of(4, 1));
  EXPECT_EQ(receive.delivery().envelope.tag, 1);
}

TEST(ActorMailbox, OnlyWhatHasNoMessageCanBeCancelled) {
  Mailbox mine, theirs;
  Bytes buffer(4);
  SendOperation send;
  std::deque<ReceiveOperation> receives(3);
  for (ReceiveOperation& receive : receives) mine.receive({.context = k_context}, buffer, &receive);
  EXPECT_TRUE(mine.cancel(receives[1]));
  EXPECT_TRUE(receives[1].delivery().is_cancelled);
  mine.send(theirs, {k_context, 0, 0}, bytes_of(4, 1), SendMode::standard, &send);
  EXPECT_FALSE(mine.cancel(receives[0]));
  EXPECT_FALSE(receives[0].delivery().is_cancelled);
  EXPECT_TRUE(mine.cancel(receives[2]));
}

/// MPI's rules, as simply as they can be written.
class Reference {
 public:
  void send(const Envelope& envelope, int number) {
    for (auto posted = posted_.begin(); posted != posted_.end(); ++posted)
      if (posted->first.matches(envelope)) {
        matches_[posted->second] = number;
        posted_.erase(posted);
        return;
      }
    arrived_.push_back({envelope, number});
  }
  void receive(const Pattern& pattern, int receive) {
    for (auto message = arrived_.begin(); message != arrived_.end(); ++message)
      if (pattern.matches(message->first)) {
        matches_[receive] = message->second;
        arrived_.erase(message);
        return;
      }
    posted_.push_back({pattern, receive});
  }
  const std::map<int, int>& matches() const { return matches_; }

 private:
  std::list<std::pair<Envelope, int>> arrived_;
  std::list<std::pair<Pattern, int>> posted_;
  std::map<int, int> matches_;  // receive -> message
};

TEST(ActorMailbox, MatchesAsTheStandardSays) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    base::Random random(seed);
    Mailbox mine, theirs;
    Reference reference;
    std::deque<SendOperation> sends;
    std::deque<ReceiveOperation> receives;
    std::deque<Bytes> data, buffers;
    const auto below = [&](uint64_t limit) { return static_cast<int32_t>(random.below(limit)); };
    for (int step = 0; step < 300; ++step) {
      const auto context = static_cast<uint32_t>(below(2));
      if (random.below(2) == 0) {
        const Envelope envelope{context, below(3), below(3)};
        const auto number = static_cast<int>(sends.size());
        data.emplace_back(sizeof number);
        std::memcpy(data.back().data(), &number, sizeof number);
        mine.send(theirs, envelope, data.back(),
                  random.below(2) == 0 ? SendMode::standard : SendMode::synchronous, &sends.emplace_back());
        reference.send(envelope, number);
      } else {
        const Pattern pattern{context, below(4) - 1, below(4) - 1};
        reference.receive(pattern, static_cast<int>(receives.size()));
        mine.receive(pattern, buffers.emplace_back(sizeof(int)), &receives.emplace_back());
      }
    }
    for (size_t i = 0; i < receives.size(); ++i) {
      const auto match = reference.matches().find(static_cast<int>(i));
      ASSERT_EQ(receives[i].is_done(), match != reference.matches().end()) << "seed " << seed;
      if (!receives[i].is_done()) {
        EXPECT_TRUE(mine.cancel(receives[i]));
        continue;
      }
      int number = 0;
      std::memcpy(&number, buffers[i].data(), sizeof number);
      ASSERT_EQ(number, match->second) << "seed " << seed;
    }
  }
}

constexpr int k_each = 2;  // messages of a rank for another in a round

/// Every rank sends to every rank, in rounds; the receiver finds each sender's messages of a round in their order.
void exchange(std::deque<Mailbox>& ranks, int me, int rounds) {
  const auto count = static_cast<int>(ranks.size());
  Mailbox& mine = ranks[static_cast<size_t>(me)];
  base::Random random(static_cast<uint64_t>(me) + 42);
  for (int round = 0; round < rounds; ++round) {
    std::deque<SendOperation> sends;
    std::deque<Bytes> data;
    for (int i = 0; i < count * k_each; ++i) {
      const bool is_long = random.below(4) == 0;
      data.push_back(bytes_of(is_long ? Mailbox::k_eager_bytes + 1 + random.below(9000) : random.below(64),
                              me * 1000 + round + i / count));
      const SendMode mode = random.below(8) == 0 ? SendMode::synchronous : SendMode::standard;
      ranks[static_cast<size_t>(i % count)].send(mine, {k_context, me, round}, data.back(), mode,
                                                 &sends.emplace_back());
    }
    std::vector<int> received(ranks.size());
    for (int i = 0; i < count * k_each; ++i) {
      Bytes buffer(Mailbox::k_eager_bytes + 10000);
      ReceiveOperation receive;
      const Pattern pattern{.context = k_context, .tag = round};
      if (random.below(3) == 0) {
        std::unique_ptr<TakenMessage> message;
        mine.wait_until([&] { return (message = mine.take(pattern)) != nullptr; });
        mine.receive(std::move(message), buffer, &receive);
      } else {
        mine.receive(pattern, buffer, &receive);
      }
      mine.wait(receive);
      const Delivery& delivery = receive.delivery();
      const int from = delivery.envelope.source;
      const int number = received[static_cast<size_t>(from)]++;
      buffer.resize(delivery.bytes);
      EXPECT_EQ(buffer, bytes_of(delivery.bytes, from * 1000 + round + number));
    }
    for (size_t i = 0; i < sends.size(); ++i) {
      if (random.below(2) == 0 && sends[i].can_be_let_go()) {
        sends[i].detach(DetachedCopy::of(data[i]));
        if (sends[i].is_done()) std::ranges::fill(data[i], std::byte{0});
      }
      mine.wait(sends[i]);
    }
  }
}

/// A group's mailbox goes when the last of its ranks has what was sent there: its sender does not touch it any more, as
/// an address sanitizer tells.
TEST(ActorMailbox, GoesAsSoonAsItsMessagesAreTaken) {
  constexpr int k_times = 5000;
  Mailbox owner, sender;
  std::atomic<Mailbox*> group{nullptr};
  std::atomic<bool> is_over{false};
  std::thread other([&] {
    SendOperation send;
    for (int i = 0; !is_over; ++i) {
      Mailbox* const to = group.exchange(nullptr);
      if (to == nullptr) continue;
      if (i % 2 == 0)
        to->arrive({k_context, 0, 0}, bytes_of(4, 1));
      else
        to->send(sender, {k_context, 0, 0}, bytes_of(4, 1), SendMode::standard, &send);
    }
  });
  for (int i = 0; i < k_times; ++i) {
    auto mine = std::make_unique<Mailbox>();
    Bytes buffer(4);
    ReceiveOperation receive;
    group = mine.get();
    if (i % 3 != 0)
      while (!mine->probe({.context = k_context})) std::this_thread::yield();
    mine->receive({.context = k_context}, buffer, &receive, owner);
    owner.wait(receive);
    mine.reset();
    EXPECT_EQ(buffer, bytes_of(4, 1));
  }
  is_over = true;
  other.join();
}

TEST(ActorMailbox, ManyThreads) {
  constexpr int k_rounds = test::k_is_sanitized ? 40 : 300;
  for (const int count : {2, 5, 8}) {
    std::deque<Mailbox> ranks(static_cast<size_t>(count));
    std::vector<std::thread> threads;
    for (int me = 0; me < count; ++me) threads.emplace_back([&ranks, me] { exchange(ranks, me, k_rounds); });
    for (std::thread& thread : threads) thread.join();
  }
}

/// A receive is either cancelled or has its message, whatever comes first.
TEST(ActorMailbox, CancellingWhileTheMessageComes) {
  constexpr int k_times = 2000;
  Mailbox mine, theirs;
  std::atomic<int> posted{0};
  std::thread sender([&] {
    for (int i = 1; i <= k_times; ++i) {
      while (posted.load() < i) std::this_thread::yield();
      SendOperation send;
      mine.send(theirs, {k_context, 0, i}, bytes_of(16, i), SendMode::standard, &send);
    }
  });
  int cancelled = 0;
  for (int i = 1; i <= k_times; ++i) {
    Bytes buffer(16);
    ReceiveOperation receive;
    mine.receive({.context = k_context, .tag = i}, buffer, &receive);
    posted = i;
    if (i % 2 == 0) std::this_thread::yield();
    const bool is_ours = mine.cancel(receive);
    mine.wait(receive);
    EXPECT_EQ(receive.delivery().is_cancelled, is_ours);
    cancelled += is_ours ? 1 : 0;
    if (!is_ours) {
      EXPECT_EQ(buffer, bytes_of(16, i));
    }
  }
  sender.join();
  int left = 0;
  while (mine.take({.context = k_context}) != nullptr) ++left;
  EXPECT_EQ(left, cancelled);
}

}  // namespace
}  // namespace tutti::actors
