// Leader policy `first` (DESIGN §5; paper 000 §3, figures 9 and 10): on every node the first rank to arrive
// leads, so no node's network side waits for one particular process. Needs an endpoint that addresses nodes:
// loopback.

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "algorithm/catalogue.hpp"
#include "engine/cpu_engine.hpp"
#include "engine/plan.hpp"
#include "node/arena.hpp"
#include "node/region.hpp"
#include "node/request_queue.hpp"
#include "tests/support/patience.hpp"
#include "tests/support/shared_node.hpp"
#include "topology/topology.hpp"
#include "transport/loopback/loopback.hpp"

namespace tutti::test {
namespace {

using algorithm::Algorithm;
using algorithm::Collective;
using engine::Plan;
using schedule::Rank;
using topology::Topology;

constexpr uint64_t k_bytes = 3000;
constexpr uint64_t k_node_bytes = 64 << 10;

/// What the ranks of one node share.
struct Node {
  std::unique_ptr<node::Arena> arena;
  std::vector<Rank> ranks;
  std::unique_ptr<SharedNode> memory;
};

class FirstLeader : public testing::Test {
 protected:
  static constexpr Rank k_ranks = 7;

  void SetUp() override {
    static std::atomic<uint64_t> serial{0};
    const uint64_t token = static_cast<uint64_t>(getpid()) << 20 | ++serial;
    for (int32_t n = 0; n < topology_.node_count(); ++n) {
      const auto ranks = topology_.ranks_of(n);
      auto arena =
          node::Arena::create(node::arena_name(token, n), static_cast<uint32_t>(ranks.size()), 4 << 20);
      ASSERT_TRUE(arena) << arena.status().message();
      (*arena)->unlink();
      nodes_.push_back({std::move(*arena),
                        {ranks.begin(), ranks.end()},
                        std::make_unique<SharedNode>(ranks.size(), k_node_bytes)});
    }
  }

  /// One thread per rank.
  template <class Body>
  void on_every_rank(Body body) {
    std::vector<std::thread> threads;
    for (Rank r = 0; r < k_ranks; ++r) threads.emplace_back([&, r] { body(r); });
    for (std::thread& thread : threads) thread.join();
  }

  // Nodes {0, 1, 2}, {3, 4}, {5, 6}.
  const Topology topology_ = *Topology::from_node_of_rank(std::vector<int32_t>{0, 0, 0, 1, 1, 2, 2});
  // Everything is buffered: a leader hands on and goes.
  transport::LoopbackFabric fabric_{std::vector<int32_t>{0, 0, 0, 1, 1, 2, 2},
                                    {.eager_bytes = 1 << 20, .waiting_count = 1000}};
  std::vector<Node> nodes_;
};

/// One rank: competes for the lead of its node, builds what follows from the outcome, and carries it out.
class RankThread {
 public:
  RankThread(Rank me, const Topology& topology, Node& node, transport::LoopbackFabric& fabric)
      : me_(me),
        topology_(topology),
        node_(node),
        fabric_(fabric),
        region_(node::Region::acquire(*node.arena, {.communicator = 1, .members = node.ranks},
                                      {.index = member(), .process = member()})),
        queue_(region_),
        view_(*node.memory, member()),
        engine_({.networks = {&fabric.endpoint(me)}, .local = &fabric.endpoint(me), .node = &view_},
                engine::WaitPolicy::sleep) {
    EXPECT_TRUE(region_.status()) << region_.status().message();
  }

  /// Broadcasts `data` from `root`. Returns whether this rank led its node.
  bool broadcast(Rank root, uint32_t sequence, std::vector<std::byte>& data) {
    const node::Arrival arrival = arrive(root, sequence);
    const Rank leader = node_.ranks[arrival.leader];
    EXPECT_EQ(arrival.is_leader, leader == me_);
    const algorithm::Request request{.collective = Collective::bcast,
                                     .rank_count = topology_.rank_count(),
                                     .root = root,
                                     .bytes = data.size()};
    const Algorithm& two_level = *algorithm::find(Collective::bcast, "hierarchical");
    const algorithm::Choice choice = *algorithm::parse_choice(
        Collective::bcast,
        sequence % 2 == 0 ? "hierarchical:segment=1K" : "hierarchical:inter=knomial:intra=shared");
    auto schedule = two_level.build(request, me_, topology_.with_leader(leader), choice.parameters);
    EXPECT_TRUE(schedule) << schedule.status().message();
    const auto plan = *Plan::make(std::move(*schedule), {});
    const base::Status leads = arrival.is_leader ? fabric_.lead(me_, sequence) : base::Status{};
    EXPECT_TRUE(leads) << leads.message();
    const base::Status status = engine_.run(*plan, {.output = data.data(), .tag = sequence});
    EXPECT_TRUE(status) << status.message();
    fabric_.resign(me_, sequence);
    return arrival.is_leader;
  }

 private:
  uint32_t member() const { return static_cast<uint32_t>(topology_.local_index(me_)); }

  node::Arrival arrive(Rank root, uint32_t sequence) {
    std::optional<uint32_t> forced;
    if (topology_.node_of(root) == topology_.node_of(me_))
      forced = static_cast<uint32_t>(topology_.local_index(root));
    for (;;) {
      auto arrival = queue_.arrive(static_cast<uint8_t>(Collective::bcast), sequence, forced);
      if (arrival) return *arrival;
      EXPECT_TRUE(transport::is_try_again(arrival.status())) << arrival.status().message();
      std::this_thread::sleep_for(std::chrono::microseconds(50));  // the slowest of the node is far behind
    }
  }

  const Rank me_;
  const Topology& topology_;
  Node& node_;
  transport::LoopbackFabric& fabric_;
  node::Region region_;
  node::RequestQueue queue_;
  SharedNode::View view_;
  engine::CpuEngine engine_;
};

std::vector<std::byte> message_of(uint32_t sequence) {
  std::vector<std::byte> message(k_bytes);
  for (size_t i = 0; i < message.size(); ++i) message[i] = static_cast<std::byte>(i * 3 + sequence);
  return message;
}

TEST_F(FirstLeader, BroadcastsArriveInWhateverOrderTheRanksCome) {
  constexpr uint32_t k_rounds = 60;
  std::array<std::array<std::atomic<int>, k_rounds>, 3> leaders{};  // [node][round]
  std::array<std::atomic<int>, k_ranks> times_led{};
  on_every_rank([&](Rank me) {
    RankThread rank(me, topology_, nodes_[static_cast<size_t>(topology_.node_of(me))], fabric_);
    std::mt19937 random(static_cast<unsigned>(me));
    for (uint32_t round = 0; round < k_rounds; ++round) {
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
      const Rank root = static_cast<Rank>(round) % k_ranks;
      std::vector<std::byte> data = me == root ? message_of(round) : std::vector<std::byte>(k_bytes);
      if (rank.broadcast(root, round, data)) {
        ++leaders[static_cast<size_t>(topology_.node_of(me))][round];
        ++times_led[static_cast<size_t>(me)];
      }
      EXPECT_TRUE(data == message_of(round)) << "rank " << me << ", round " << round;
    }
  });
  for (const auto& node : leaders)
    for (const std::atomic<int>& count : node) EXPECT_EQ(count, 1);
  for (const std::atomic<int>& count : times_led) EXPECT_GT(count, 0) << "arrival decides, not rank";
  EXPECT_EQ(fabric_.waiting_count(), 0u);
}

TEST_F(FirstLeader, NobodyWaitsForTheProcessThatAFixedPolicyWouldNeed) {
  // The first rank of each node but the root's comes when all others have left. Under policy `fixed` it would
  // be the leader, and its node could not get the message before.
  constexpr Rank k_early = 5;
  std::atomic<Rank> left{0};
  on_every_rank([&](Rank me) {
    RankThread rank(me, topology_, nodes_[static_cast<size_t>(topology_.node_of(me))], fabric_);
    const bool is_late = me == 3 || me == 5;
    if (is_late) {
      support::Patience patience(30);
      while (left < k_early && !patience.is_over()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      EXPECT_GE(left, k_early) << "the others wait for rank " << me;
    }
    std::vector<std::byte> data = me == 0 ? message_of(1) : std::vector<std::byte>(k_bytes);
    const bool led = rank.broadcast(0, 0, data);
    EXPECT_EQ(led, me == 0 || me == 4 || me == 6);
    EXPECT_TRUE(data == message_of(1)) << "rank " << me;
    ++left;
  });
}

}  // namespace
}  // namespace tutti::test
