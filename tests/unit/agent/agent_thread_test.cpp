// The thread of agents: ranks as threads ring for it, it sleeps while there is nothing to do, and lets a station go
// when its members have closed the board.

#include "agent/agent_thread.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "agent/calls.hpp"
#include "agent/member.hpp"
#include "tests/support/patience.hpp"
#include "tests/support/transport/fault_endpoint.hpp"
#include "tests/support/transport/loopback.hpp"

namespace tutti::agent {
namespace {

using algorithm::Collective;
using transport::LoopbackFabric;

constexpr int k_nodes = 2;

/// One process's end of a loopback network: each endpoint has a fabric of its own.
class LoopbackNetwork final : public transport::Network {
 public:
  LoopbackNetwork(std::span<const std::unique_ptr<LoopbackFabric>> fabrics, int own)
      : fabrics_(fabrics), own_(own) {}

  transport::ConstBytes address() const override { return {}; }
  void set_peers(int, transport::Addresses) override {}
  std::unique_ptr<transport::Endpoint> make_endpoint(transport::Space, std::span<const int>) override {
    return std::make_unique<transport::FaultEndpoint>(fabrics_[made_++]->endpoint(own_), transport::Faults{});
  }
  bool make_progress() override { return false; }
  bool arm() override { return true; }
  /// A message of the loopback is no event.
  void await_event(uint64_t, int file) override {
    ++sleeps_;
    pollfd rung{.fd = file, .events = POLLIN, .revents = 0};
    poll(&rung, 1, 1);
  }
  int sleeps() const { return sleeps_; }

 private:
  const std::span<const std::unique_ptr<LoopbackFabric>> fabrics_;
  const int own_;
  size_t made_ = 0;
  std::atomic<int> sleeps_{0};
};

struct Line {
  alignas(Board::k_line_bytes) std::byte bytes[Board::k_line_bytes];
};

/// A process that is home to agents.
struct Home {
  Home(std::span<const std::unique_ptr<LoopbackFabric>> fabrics, int node)
      : name("tutti-thread-test-" + std::to_string(getpid()) + '-' + std::to_string(node)),
        network(fabrics, node),
        bell(AgentDoorbell::open(name, flag).value()),
        memory((Board::k_fixed_bytes + Board::k_entries * 1024) / sizeof(Line)),
        board(std::as_writable_bytes(std::span(memory))) {
    board.initialise();
  }

  const std::string name;
  LoopbackNetwork network;
  AgentDoorbellFlag flag{};
  AgentDoorbell bell;
  std::vector<Line> memory;
  Board board;
  std::unique_ptr<AgentThread> thread;
  std::atomic<int> over{0};
};

class Threads : public testing::Test {
 protected:
  Threads() {
    for (auto& fabric : fabrics_) fabric = std::make_unique<LoopbackFabric>(k_nodes);
    for (int node = 0; node < k_nodes; ++node) homes_.push_back(std::make_unique<Home>(fabrics_, node));
  }

  void start() {
    for (int node = 0; node < k_nodes; ++node) {
      Home& home = *homes_[static_cast<size_t>(node)];
      home.thread = AgentThread::start(home.network, home.bell, false).value();
      home.thread->add(std::make_unique<CommunicatorAgent>(home.board, topology_, topology_.leader_of(node),
                                                           home.network, std::vector{0, 1}, 0),
                       [&home] { ++home.over; });
    }
  }

  /// Calls of one rank, one after the other.
  void call(Rank me, int rounds) {
    Home& home = *homes_[static_cast<size_t>(topology_.node_of(me))];
    const auto ringer = DoorbellSender::open();
    const auto ring = [&] { ringer->ring(doorbell_address(home.name), home.flag); };
    for (int round = 0; round < rounds; ++round) {
      const std::array<int32_t, 2> mine{me, round};
      std::array<int32_t, 2> sum{};
      Description whole = describe(algorithm::Request{.collective = Collective::allreduce,
                                                      .rank_count = topology_.rank_count(),
                                                      .bytes = sizeof mine,
                                                      .element_bytes = sizeof(int32_t),
                                                      .is_predefined = true},
                                   topology_, home.board.area_bytes());
      whole.element = engine::ElementType::int32;
      BoardCall call(home.board, topology_, me, whole, static_cast<uint32_t>(round),
                     {.input = reinterpret_cast<const std::byte*>(mine.data()),
                      .output = reinterpret_cast<std::byte*>(sum.data())},
                     ring);
      support::Patience patience(60);
      while (!call.is_done() && !patience.is_over())
        if (!call.progress() && !home.thread->progress()) std::this_thread::yield();
      ASSERT_TRUE(call.is_done()) << "round " << round << ", rank " << me;
      EXPECT_EQ(sum, (std::array<int32_t, 2>{6, 4 * round}));
    }
    home.board.close();
    ring();
  }

  void await_ends() {
    support::Patience patience(60);
    for (const auto& home : homes_)
      while (home->thread->station_count() > 0 && !patience.is_over())
        if (!home->thread->progress()) std::this_thread::yield();
  }

  void expect_ends_of_calls() {
    std::vector<std::thread> ranks;
    for (Rank me = 0; me < 4; ++me) ranks.emplace_back([this, me] { call(me, 200); });
    for (std::thread& rank : ranks) rank.join();
    await_ends();
    for (const auto& home : homes_) {
      EXPECT_EQ(home->thread->station_count(), 0u);
      EXPECT_TRUE(home->thread->stop());
      EXPECT_EQ(home->over, 1);
    }
  }

  const Topology topology_ = Topology::blocked(4, 2);
  std::array<std::unique_ptr<LoopbackFabric>, 2> fabrics_;
  std::vector<std::unique_ptr<Home>> homes_;
};

TEST_F(Threads, ServeUntilAllMembersHaveClosedTheBoard) {
  start();
  expect_ends_of_calls();
}

TEST_F(Threads, LeaveTheirStationsToOthers) {
  start();
  for (const auto& home : homes_) EXPECT_TRUE(home->thread->hand_over(AgentThread::k_forever_ns));
  expect_ends_of_calls();
}

TEST_F(Threads, EndWithWorkLeft) {
  start();
  for (const auto& home : homes_) EXPECT_TRUE(home->thread->stop());
  for (const auto& home : homes_) EXPECT_EQ(home->over, 0);
}

TEST_F(Threads, SleepWithoutWork) {
  start();
  support::Patience patience(60);
  for (const auto& home : homes_)
    while (home->network.sleeps() == 0 && !patience.is_over()) std::this_thread::yield();
  for (const auto& home : homes_) {
    EXPECT_GT(home->network.sleeps(), 0);
    EXPECT_TRUE(home->thread->stop());
  }
}

}  // namespace
}  // namespace tutti::agent
