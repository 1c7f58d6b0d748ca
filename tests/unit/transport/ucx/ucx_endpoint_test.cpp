// Two networks in one process, which are process 0 and process 1 to each other.

#include "transport/ucx/ucx_endpoint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "tests/support/memory_shortage.hpp"

namespace tutti::transport {
namespace {

using base::Code;

/// Runs over the transport that UCX prefers inside a machine, and over TCP alone, as between machines.
class UcxPair : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (*GetParam() != '\0') setenv("UCX_TLS", GetParam(), 1);
    std::array<std::unique_ptr<UcxNetwork>, 2> opened;
    Addresses addresses{.bytes = {}, .begins = {0}};
    for (auto& network : opened) {
      auto result = UcxNetwork::open({.process_count = 2});
      ASSERT_TRUE(result) << result.status().message();
      network = std::move(*result);
      const ConstBytes mine = network->address();
      addresses.bytes.insert(addresses.bytes.end(), mine.begin(), mine.end());
      addresses.begins.push_back(addresses.bytes.size());
    }
    for (int process : {0, 1}) opened[static_cast<size_t>(process)]->set_peers(process, addresses);
    networks_ = std::move(opened);
  }
  void TearDown() override { unsetenv("UCX_TLS"); }

  std::unique_ptr<Endpoint> make(int process, Space space = Space::operations) {
    return networks_[static_cast<size_t>(process)]->make_endpoint(space, k_process_of_rank);
  }

  /// Polls both until `count` transfers of the first have ended.
  static std::vector<Completion> collect(Endpoint& endpoint, size_t count, Endpoint* other = nullptr,
                                         size_t at_a_time = 16) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    std::vector<Completion> ended, done(at_a_time);
    while (ended.size() < count && std::chrono::steady_clock::now() < deadline) {
      const size_t now = endpoint.poll(done);
      ended.insert(ended.end(), done.begin(), done.begin() + static_cast<ptrdiff_t>(now));
      if (other != nullptr) other->poll({});
      if (now == 0) std::this_thread::yield();
    }
    EXPECT_EQ(ended.size(), count);
    ended.resize(count);
    return ended;
  }

  /// Rank 0 lives in process 1, and the other way round.
  static constexpr std::array k_process_of_rank{1, 0};
  std::array<std::unique_ptr<UcxNetwork>, 2> networks_;
};

std::vector<std::byte> numbered(size_t message, size_t bytes) {
  std::vector<std::byte> data(bytes);
  for (size_t at = 0; at < bytes; ++at) data[at] = static_cast<std::byte>(message * 31 + at);
  return data;
}

INSTANTIATE_TEST_SUITE_P(Over, UcxPair, testing::Values("", "tcp"), [](const auto& over) {
  return std::string(*over.param == '\0' ? "anything" : over.param);
});

TEST_P(UcxPair, MessagesOfAllSizesKeepTheirOrder) {
  constexpr size_t k_messages = 120;
  const auto sender = make(1), receiver = make(0);
  std::vector<std::vector<std::byte>> out(k_messages), in(k_messages);
  for (size_t m = 0; m < k_messages; ++m) {
    out[m] = numbered(m, m % 7 == 0 ? 0 : (m % 5 == 0 ? 150'000 : m * 10));
    in[m].resize(out[m].size());
    ASSERT_TRUE(receiver->recv(Peer::rank(0), 7, in[m], m));
    ASSERT_TRUE(sender->send(Peer::rank(1), 7, out[m], m));
  }
  std::vector<int> seen(k_messages);
  for (const Completion& end : collect(*receiver, k_messages, sender.get(), 3)) {
    EXPECT_EQ(end.code, Code::ok);
    ++seen[end.cookie];
  }
  EXPECT_EQ(std::ranges::count(seen, 1), std::ssize(seen)) << "every transfer ends once";
  EXPECT_EQ(in, out);
  collect(*sender, k_messages, receiver.get());
}

TEST_P(UcxPair, TagsAndSpacesAreKeptApart) {
  const auto sender = make(1), receiver = make(0);
  const auto sender_aside = make(1, Space::agreements), receiver_aside = make(0, Space::agreements);
  std::array<int, 3> out{10, 20, 30}, in{};
  const auto sent = [&](size_t i) { return std::as_bytes(std::span(&out[i], 1)); };
  const auto received = [&](size_t i) { return std::as_writable_bytes(std::span(&in[i], 1)); };
  ASSERT_TRUE(sender_aside->send(Peer::local(1), 1, sent(2), 0));
  ASSERT_TRUE(sender->send(Peer::local(1), 0, sent(0), 0));
  ASSERT_TRUE(sender->send(Peer::local(1), 1, sent(1), 1));
  ASSERT_TRUE(receiver->recv(Peer::local(0), 1, received(1), 0));
  ASSERT_TRUE(receiver->recv(Peer::local(0), 0, received(0), 1));
  collect(*sender_aside, 1, receiver.get());
  collect(*sender, 2, receiver.get());
  collect(*receiver, 2, sender.get());
  ASSERT_TRUE(receiver_aside->recv(Peer::rank(0), 1, received(2), 0));
  collect(*receiver_aside, 1, sender.get());
  EXPECT_EQ(in, out);
}

TEST_P(UcxPair, WhatCannotBeAddressedIsRefused) {
  const auto endpoint = make(0);
  EXPECT_EQ(endpoint->send(Peer::rank(2), 0, {}, 0).code(), Code::invalid_argument);
  EXPECT_EQ(endpoint->recv(Peer::rank(-1), 0, {}, 0).code(), Code::invalid_argument);
  EXPECT_EQ(endpoint->send(Peer::node(0), 0, {}, 0).code(), Code::invalid_argument);
}

/// It ends nothing: the other ranks have memory, and wait.
TEST_P(UcxPair, AWantOfMemoryIsBackPressure) {
  if (!test::MemoryShortage::is_possible) GTEST_SKIP() << "operator new cannot be replaced here";
  const auto sender = make(1), receiver = make(0);
  std::array<std::byte, 8> in{};
  const std::array<std::byte, 8> out{std::byte{4}};
  const auto start = [&] {
    return std::array{sender->send(Peer::rank(1), 8, out, 1), receiver->recv(Peer::rank(0), 8, in, 2)};
  };
  std::array<bool, 2> has_to_wait{};
  {
    const test::MemoryShortage shortage;
    std::ranges::transform(start(), has_to_wait.begin(), is_try_again);
  }
  EXPECT_EQ(has_to_wait, (std::array{true, true}));
  for (const auto& status : start()) EXPECT_TRUE(status);
  collect(*receiver, 1, sender.get());
  collect(*sender, 1, receiver.get());
  EXPECT_EQ(in, out);
}

TEST_P(UcxPair, AMessageOfAnotherLengthIsAnErrorOfItsReceive) {
  const auto sender = make(1), receiver = make(0);
  for (const size_t unit : {size_t{4}, size_t{200'000}})
    for (const bool is_there_first : {false, true}) {
      const std::array<size_t, 4> sent{unit, 2 * unit, unit, unit}, asked{unit, unit, 2 * unit, unit};
      const auto message = numbered(1, 2 * unit);
      std::vector<std::byte> in(8 * unit);
      const auto receive = [&] {
        for (size_t m = 0; m < asked.size(); ++m)
          ASSERT_TRUE(receiver->recv(Peer::rank(0), 9, Bytes(in).subspan(2 * m * unit, asked[m]), m));
      };
      if (!is_there_first) receive();
      for (const size_t bytes : sent)
        ASSERT_TRUE(sender->send(Peer::rank(1), 9, ConstBytes(message).first(bytes), 6));
      std::array<Completion, 1> none;
      for (int polls = 0; polls < 1000; ++polls) ASSERT_EQ(is_there_first ? receiver->poll(none) : 0, 0u);
      if (is_there_first) receive();
      for (const Completion& end : collect(*receiver, sent.size(), sender.get()))
        EXPECT_EQ(end.code, sent[end.cookie] == asked[end.cookie] ? Code::ok : Code::invalid_argument)
            << "message " << end.cookie << " of " << unit << (is_there_first ? " was there" : "");
      for (const Completion& end : collect(*sender, sent.size(), receiver.get()))
        EXPECT_EQ(end.code, Code::ok);
    }
}

/// Runs without the shared memory of a machine, from which every process reads by itself.
using UcxPairOverTcp = UcxPair;
INSTANTIATE_TEST_SUITE_P(Over, UcxPairOverTcp, testing::Values("tcp"));

/// The receiver takes nothing until the sender cannot send more. From then on that endpoint is not polled: its
/// network has to send the rest.
TEST_P(UcxPairOverTcp, ANetworkMovesWhatItsEndpointsHaveLeftBehind) {
  constexpr size_t k_most = 10'000, k_bytes = 4000;
  const auto sender = make(1), receiver = make(0);
  const auto has_ended = [&] {
    std::array<Completion, 1> done;
    for (int polls = 0; polls < 3000; ++polls)
      if (sender->poll(done) == 1) return true;
    return false;
  };
  const auto out = numbered(3, k_bytes);
  ASSERT_TRUE(receiver->recv(Peer::rank(0), 1, {}, 0));
  ASSERT_TRUE(sender->send(Peer::rank(1), 1, {}, 0));
  collect(*receiver, 1, sender.get());  // connections take part of both
  collect(*sender, 1, receiver.get());
  size_t count = 0;
  do {
    ASSERT_LT(count, k_most) << "the kernel takes everything";
    ASSERT_TRUE(sender->send(Peer::rank(1), 11, out, count++));
  } while (has_ended());
  std::vector<std::vector<std::byte>> in(count, std::vector<std::byte>(k_bytes));
  for (size_t m = 0; m < count; ++m) ASSERT_TRUE(receiver->recv(Peer::rank(0), 11, in[m], m));
  std::array<Completion, 16> done;
  size_t received = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (received < count && std::chrono::steady_clock::now() < deadline) {
    received += receiver->poll(done);
    networks_[1]->make_progress();
  }
  EXPECT_EQ(std::ranges::count(in, out), std::ssize(in));
  collect(*sender, 1);
}

TEST_P(UcxPair, AReceiveThatIsAbandonedTakesNothing) {
  const auto sender = make(1);
  auto receiver = make(0);
  const auto message = numbered(2, 100);
  std::vector<std::byte> abandoned(100), in(100);
  ASSERT_TRUE(receiver->recv(Peer::rank(0), 1, abandoned, 0));
  receiver = make(0);
  ASSERT_TRUE(receiver->recv(Peer::rank(0), 1, in, 1));
  ASSERT_TRUE(sender->send(Peer::rank(1), 1, message, 0));
  EXPECT_EQ(collect(*receiver, 1, sender.get())[0].cookie, 1u);
  EXPECT_EQ(in, message);
  EXPECT_EQ(abandoned, std::vector<std::byte>(100));
  collect(*sender, 1, receiver.get());
}

TEST_P(UcxPair, ACancelledReceiveEndsAndTakesNothing) {
  const auto sender = make(1), receiver = make(0);
  const auto message = numbered(2, 100);
  std::vector<std::byte> cancelled(100), in(100);
  ASSERT_TRUE(receiver->recv(Peer::rank(0), 1, cancelled, 7));
  ASSERT_TRUE(receiver->recv(Peer::rank(0), 2, in, 8));
  receiver->cancel(9);
  receiver->cancel(7);
  receiver->cancel(7);
  const auto start = std::chrono::steady_clock::now();
  const Completion end = collect(*receiver, 1)[0];
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1)) << "it is no lost peer";
  EXPECT_EQ(end.cookie, 7u);
  EXPECT_EQ(end.code, Code::system);
  EXPECT_EQ(end.native, ECANCELED);
  // A late message for it matches nothing, and does not block other messages.
  ASSERT_TRUE(sender->send(Peer::rank(1), 1, message, 0));
  ASSERT_TRUE(sender->send(Peer::rank(1), 2, message, 0));
  const Completion other = collect(*receiver, 1, sender.get())[0];
  EXPECT_EQ(other.cookie, 8u);
  EXPECT_EQ(other.code, Code::ok);
  EXPECT_EQ(in, message);
  EXPECT_EQ(cancelled, std::vector<std::byte>(100));
  collect(*sender, 2, receiver.get());
}

/// A message that a receive has met, and a send, end as if nothing had been said.
TEST_P(UcxPair, WhatIsUnderWayIsNotTornByCancel) {
  const auto sender = make(1), receiver = make(0);
  const auto message = numbered(2, 4 << 20);
  std::vector<std::byte> in(message.size());
  for (int when = 0; when < 40; ++when) {
    in.assign(in.size(), {});
    ASSERT_TRUE(sender->send(Peer::rank(1), 1, message, 5));
    ASSERT_TRUE(receiver->recv(Peer::rank(0), 1, in, 6));
    size_t sent = 0, received = 0;
    std::array<Completion, 1> end;
    for (int polls = 0; polls < when && received == 0; ++polls) {
      if (sent == 0) sent = sender->poll(end);
      received = receiver->poll(end);
    }
    sender->cancel(5);
    receiver->cancel(6);
    if (received == 0) end[0] = collect(*receiver, 1, sender.get())[0];
    if (end[0].code == Code::ok) {
      EXPECT_EQ(in, message);
    } else {
      EXPECT_EQ(end[0].native, ECANCELED);
      ASSERT_TRUE(receiver->recv(Peer::rank(0), 1, in, 8));  // the message is still there
      EXPECT_EQ(collect(*receiver, 1, sender.get())[0].code, Code::ok);
      EXPECT_EQ(in, message);
    }
    if (sent == 0) {
      EXPECT_EQ(collect(*sender, 1, receiver.get())[0].code, Code::ok);
    }
  }
}

/// The launcher gets some time to end the job.
TEST_P(UcxPair, WhatGoesToAPeerThatHasEndedFailsLate) {
  auto mine = make(0), gone = make(1);
  ASSERT_TRUE(mine->send(Peer::rank(0), 1, {}, 0));
  ASSERT_TRUE(gone->recv(Peer::rank(1), 1, {}, 0));
  collect(*mine, 1, gone.get());
  collect(*gone, 1, mine.get());
  gone.reset();
  networks_[1].reset();
  const auto start = std::chrono::steady_clock::now();
  const auto message = numbered(1, 1 << 20);
  for (uint64_t m = 0; m < 3; ++m) {
    ASSERT_TRUE(mine->send(Peer::rank(0), 2, message, m));
    mine->poll({});
  }
  for (const Completion& end : collect(*mine, 3)) EXPECT_EQ(end.code, Code::internal);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

/// Runs over TCP only: if shared memory has gone, UCX 1.13 leaks some bytes.
TEST_P(UcxPairOverTcp, WhatWouldConnectToAPeerThatHasEndedFailsLate) {
  const auto mine = make(0);
  const auto message = numbered(1, 8);
  networks_[1].reset();
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(mine->send(Peer::rank(0), 2, message, 7));
  EXPECT_EQ(collect(*mine, 1)[0].code, Code::internal);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

constexpr uint64_t k_for_ever_ns = 3'600'000'000'000;

/// Process 0 receives, and sleeps until something comes.
class UcxSleeper : public UcxPair {
 protected:
  void SetUp() override {
    UcxPair::SetUp();
    sender_ = make(1);
    receiver_ = make(0);
    exchange();  // connections take part of both
  }

  void receive() { ASSERT_TRUE(receiver_->recv(Peer::rank(0), 5, in_, 0)); }
  void send() { ASSERT_TRUE(sender_->send(Peer::rank(1), 5, out_, 0)); }
  void exchange() {
    receive();
    send();
    collect(*receiver_, 1, sender_.get());
    collect(*sender_, 1, receiver_.get());
  }
  /// Moves both on until the receiver may sleep.
  void settle() {
    while (!sleeper().arm())
      for (const auto& network : networks_) network->make_progress();
  }
  UcxNetwork& sleeper() { return *networks_[0]; }

  std::unique_ptr<Endpoint> sender_, receiver_;
  std::vector<std::byte> out_ = numbered(1, 100), in_ = std::vector<std::byte>(out_.size());
};
INSTANTIATE_TEST_SUITE_P(Over, UcxSleeper, testing::Values("", "tcp"), [](const auto& over) {
  return std::string(*over.param == '\0' ? "anything" : over.param);
});

TEST_P(UcxSleeper, AMessageEndsTheSleep) {
  for (const size_t bytes : {size_t{0}, size_t{100}, size_t{300'000}}) {
    out_ = numbered(bytes, bytes);
    in_.assign(bytes, {});
    receive();
    settle();
    std::thread peer([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      send();
      collect(*sender_, 1);
    });
    std::array<Completion, 1> done;
    for (bool is_here = false; !is_here;) {
      sleeper().await_event(k_for_ever_ns);
      do is_here = receiver_->poll(done) == 1;
      while (!is_here && !sleeper().arm());
    }
    peer.join();
    EXPECT_EQ(in_, out_);
  }
}

/// Another endpoint receives for all of the network.
TEST_P(UcxSleeper, NobodySleepsOverWhatHasCome) {
  const auto aside = make(0, Space::agreements);
  receive();
  settle();
  send();
  while (sleeper().arm()) {
    sleeper().await_event(k_for_ever_ns);
    aside->poll({});
  }
  for (int polls = 0; polls < 100; ++polls) {
    aside->poll({});
    ASSERT_FALSE(sleeper().arm());
  }
  collect(*receiver_, 1);
  collect(*sender_, 1);
  settle();
}

TEST_P(UcxSleeper, AnotherThreadThatReceivesEndsTheSleep) {
  receive();
  settle();
  send();
  while (!sleeper().make_progress()) std::this_thread::yield();
  sleeper().await_event(k_for_ever_ns);
  collect(*receiver_, 1, sender_.get());
  collect(*sender_, 1);
}

TEST_P(UcxSleeper, AnInterruptEndsTheSleepAndSoDoesTime) {
  settle();
  sleeper().interrupt();  // may come before it begins
  sleeper().await_event(k_for_ever_ns);
  settle();
  sleeper().await_event(1'000'000);
}

/// Endpoints of one network, each with a thread of its own.
TEST_P(UcxPair, ThreadsDoNotDisturbEachOther) {
  constexpr size_t k_messages = 500;
  constexpr std::array k_spaces = {Space::operations, Space::agreements, Space::probe};
  constexpr std::array k_processes = {0, 1};
  std::atomic<size_t> ended_count = 0;
  const auto exchange = [&](int process, Space space) {
    const auto endpoint = make(process, space);
    const Peer peer = Peer::rank(process);  // rank 0 is process 1
    for (size_t m = 0; m < k_messages; ++m) {
      const auto out = numbered(m + static_cast<size_t>(space), m % 50 == 0 ? 20'000 : 100);
      std::vector<std::byte> in(out.size());
      ASSERT_TRUE(endpoint->recv(peer, 3, in, 0));
      ASSERT_TRUE(endpoint->send(peer, 3, out, 1));
      collect(*endpoint, 2);
      ASSERT_EQ(in, out) << "message " << m;
    }
    // The peer may still need this one.
    for (++ended_count; ended_count < k_processes.size() * k_spaces.size();) {
      networks_[static_cast<size_t>(process)]->make_progress();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  std::vector<std::thread> threads;
  for (const int process : k_processes)
    for (const Space space : k_spaces) threads.emplace_back(exchange, process, space);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace tutti::transport
