// Tests the hand-over of work between threads: the queue, the parking of threads, the signal. Threads interleave
// freely here; the thread sanitizer observes them.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

#include "base/mpsc_queue.hpp"
#include "engine/parking.hpp"
#include "engine/signal.hpp"

namespace tutti::test {
namespace {

using base::MpscQueue;
using engine::Parking;
using engine::Signal;
using engine::WaitPolicy;

struct Node {
  std::atomic<Node*> next{nullptr};
  size_t producer = 0;
  size_t number = 0;
};

TEST(MpscQueue, KeepsTheOrderOfOneProducer) {
  MpscQueue<Node> queue;
  std::array<Node, 5> nodes;
  EXPECT_TRUE(queue.is_empty());
  EXPECT_EQ(queue.pop(), nullptr);
  for (Node& node : nodes) queue.push(&node);
  EXPECT_FALSE(queue.is_empty());
  for (Node& node : nodes) EXPECT_EQ(queue.pop(), &node);
  EXPECT_TRUE(queue.is_empty());
  EXPECT_EQ(queue.pop(), nullptr);
}

TEST(MpscQueue, TakesANodeAgainAsSoonAsItHasLeft) {
  MpscQueue<Node> queue;
  Node a, b;
  for (int i = 0; i < 10; ++i) {
    queue.push(&a);
    EXPECT_EQ(queue.pop(), &a);
    queue.push(&b);
    queue.push(&a);
    EXPECT_EQ(queue.pop(), &b);
    queue.push(&b);
    EXPECT_EQ(queue.pop(), &a);
    EXPECT_EQ(queue.pop(), &b);
    EXPECT_TRUE(queue.is_empty());
  }
}

TEST(MpscQueue, ANodeMayBeDestroyedAsSoonAsItHasLeft) {
  MpscQueue<Node> queue;
  for (size_t i = 0; i < 10; ++i) {
    auto node = std::make_unique<Node>();
    queue.push(node.get());
    EXPECT_EQ(queue.pop(), node.get());
  }
  auto first = std::make_unique<Node>(), second = std::make_unique<Node>();
  queue.push(first.get());
  queue.push(second.get());
  EXPECT_EQ(queue.pop(), first.get());
  first.reset();
  EXPECT_EQ(queue.pop(), second.get());
}

/// Nodes of several producers go to one consumer, which parks whenever it finds nothing.
TEST(HandOver, NothingIsLostAndNobodySleepsOverWork) {
  constexpr size_t k_producers = 3, k_nodes = 20'000;
  MpscQueue<Node> queue;
  Parking parking;
  std::vector<std::unique_ptr<Node[]>> nodes;
  std::vector<std::thread> producers;
  for (size_t p = 0; p < k_producers; ++p) nodes.push_back(std::make_unique<Node[]>(k_nodes));
  for (size_t p = 0; p < k_producers; ++p)
    producers.emplace_back([&, p] {
      for (size_t i = 0; i < k_nodes; ++i) {
        Node& node = nodes[p][i];
        node.producer = p;
        node.number = i;
        queue.push(&node);
        EXPECT_FALSE(parking.wake());
        if (i % 64 == 0) std::this_thread::yield();
      }
    });
  std::array<size_t, k_producers> arrived{};
  for (size_t count = 0; count < k_producers * k_nodes;) {
    if (const Node* const node = queue.pop(); node != nullptr) {
      ASSERT_EQ(node->number, arrived[node->producer]++);
      ++count;
      continue;
    }
    parking.prepare();
    if (queue.is_empty())
      parking.park();
    else
      parking.cancel();
  }
  for (std::thread& producer : producers) producer.join();
  EXPECT_TRUE(queue.is_empty());
}

/// Another point where a thread may sleep: the thread that ends the sleep may come first.
using Elsewhere = std::counting_semaphore<>;

/// Two threads pass one node back and forth, each asleep while the other has it: every hand-over is a wake-up that
/// could be lost. `park` gets the threads' sleeping points.
template <class Park>
void ping_pong(Park park) {
  constexpr size_t k_rounds = 20'000;
  std::array<MpscQueue<Node>, 2> queues;
  std::array<Parking, 2> parkings;
  std::array<Elsewhere, 2> elsewhere{Elsewhere(0), Elsewhere(0)};
  Node ball;
  const auto take = [&](size_t side) {
    for (;;) {
      if (Node* const node = queues[side].pop(); node != nullptr) return node;
      parkings[side].prepare();
      if (queues[side].is_empty())
        park(parkings[side], elsewhere[side]);
      else
        parkings[side].cancel();
    }
  };
  const auto give = [&](size_t side, Node* node) {
    queues[side].push(node);
    if (parkings[side].wake()) elsewhere[side].release();
  };
  std::thread other([&] {
    for (size_t i = 0; i < k_rounds; ++i) {
      Node* const node = take(1);
      ++node->number;
      give(0, node);
    }
  });
  for (size_t i = 0; i < k_rounds; ++i) {
    give(1, &ball);
    ASSERT_EQ(take(0)->number, i + 1);
  }
  other.join();
}

TEST(HandOver, PingPongThroughParking) {
  ping_pong([](Parking& parking, Elsewhere&) { parking.park(); });
}

TEST(HandOver, PingPongThroughAPlaceElsewhere) {
  ping_pong([](Parking& parking, Elsewhere& place) { parking.park_in([&] { place.acquire(); }); });
}

TEST(HandOver, PingPongThroughBoth) {
  std::atomic<int> turn = 0;
  ping_pong([&](Parking& parking, Elsewhere& place) {
    if (++turn % 3 == 0)
      parking.park();
    else
      parking.park_in([&] { place.acquire(); });
  });
}

TEST(Parking, WhoSleepsElsewhereIsToBeEndedThere) {
  Parking parking;
  parking.prepare();
  EXPECT_TRUE(parking.park_in([&] {
    EXPECT_TRUE(parking.wake());
    EXPECT_FALSE(parking.wake()) << "is awake";
  }));
  parking.prepare();
  EXPECT_FALSE(parking.park_in([] {})) << "ended by itself";
  EXPECT_FALSE(parking.wake());
  parking.prepare();
  EXPECT_FALSE(parking.wake());
  EXPECT_TRUE(parking.park_in([] { FAIL() << "had been woken"; }));
}

TEST(Parking, AWakeUpBeforeParkingIsKept) {
  Parking parking;
  parking.prepare();
  EXPECT_FALSE(parking.wake());
  parking.park();  // returns at once
  parking.prepare();
  EXPECT_FALSE(parking.wake());
  EXPECT_TRUE(parking.park_for(1'000'000'000));
}

TEST(Parking, ANapEndsByItself) {
  Parking parking;
  parking.prepare();
  EXPECT_FALSE(parking.park_for(1000));
}

class SignalPolicies : public testing::TestWithParam<WaitPolicy> {};

INSTANTIATE_TEST_SUITE_P(All, SignalPolicies,
                         testing::Values(WaitPolicy::spin, WaitPolicy::yield, WaitPolicy::sleep,
                                         WaitPolicy::automatic),
                         [](const auto& policy) { return std::string(to_string(policy.param)); });

TEST_P(SignalPolicies, CarriesWhatWasWrittenBefore) {
  constexpr size_t k_rounds = 200;
  Signal there, back;
  size_t value = 0;
  std::thread other([&] {
    for (size_t i = 0; i < k_rounds; ++i) {
      there.wait(GetParam());
      there.reset();
      ++value;
      back.set();
    }
  });
  for (size_t i = 0; i < k_rounds; ++i) {
    there.set();
    back.wait(GetParam());
    back.reset();
    ASSERT_EQ(value, i + 1);
  }
  other.join();
}

TEST_P(SignalPolicies, ReleasesAllWhoWait) {
  for (int round = 0; round < 100; ++round) {
    Signal signal;
    std::vector<std::thread> waiting;
    for (int i = 0; i < 3; ++i) waiting.emplace_back([&] { signal.wait(GetParam()); });
    signal.set();
    for (std::thread& thread : waiting) thread.join();
    EXPECT_TRUE(signal.is_set());
  }
}

}  // namespace
}  // namespace tutti::test
