// Leader policy `agent` (DESIGN §5): ranks as threads that come when they like, one agent thread for each node.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "agent/agent.hpp"
#include "agent/board.hpp"
#include "agent/calls.hpp"
#include "agent/member.hpp"
#include "engine/cpu_engine.hpp"
#include "tests/support/patience.hpp"
#include "tests/support/transport/fault_endpoint.hpp"
#include "tests/support/transport/loopback.hpp"

namespace tutti::test {
namespace {

using agent::Agent;
using agent::Announcements;
using agent::Board;
using agent::BoardCall;
using agent::Description;
using algorithm::Collective;
using schedule::Rank;
using topology::Topology;

constexpr Collective k_served[] = {
    Collective::barrier,   Collective::bcast,     Collective::reduce,
    Collective::allreduce, Collective::allgather, Collective::reduce_scatter_block,
    Collective::gather,    Collective::scatter,   Collective::alltoall};

struct AlignedMemory {
  explicit AlignedMemory(size_t size)
      : bytes(size), data(static_cast<std::byte*>(operator new (size, std::align_val_t{64}))) {}
  ~AlignedMemory() { operator delete (data, std::align_val_t{64}); }
  AlignedMemory(const AlignedMemory&) = delete;
  AlignedMemory& operator=(const AlignedMemory&) = delete;
  std::span<std::byte> span() const { return {data, bytes}; }

  size_t bytes;
  std::byte* data;
};

/// The agent of one node, on a thread of its own.
class Node {
 public:
  Node(const Topology& topology, int32_t node, uint64_t board_bytes, uint32_t first,
       transport::Endpoint& endpoint, transport::Endpoint& announcements)
      : memory_(board_bytes), board_(memory_.span()), engine_({.networks = {&endpoint}}) {
    board_.initialise(first);
    thread_ = std::thread([this, &topology, node, first, &announcements] {
      Announcements channel(announcements, node, topology.node_count(), 1);
      Agent agent(board_, topology, topology.ranks_of(node).front(), engine_, channel, 1000, first);
      while (!is_over_ || !agent.is_idle())
        if (!agent.advance()) std::this_thread::sleep_for(std::chrono::microseconds(20));
    });
  }
  const Board& board() const { return board_; }
  void end() { is_over_ = true; }
  void join() { thread_.join(); }

 private:
  AlignedMemory memory_;
  Board board_;
  engine::CpuEngine engine_;
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

/// One job: nodes with their agents.
class World {
 public:
  World(std::vector<int32_t> node_of_rank, uint64_t area_bytes, uint32_t first = 0, bool has_faults = false)
      : topology_(*Topology::from_node_of_rank(node_of_rank)),
        fabric_(topology_.node_count()),
        announcements_(topology_.node_count()),
        first_(first) {
    for (int32_t node = 0; node < topology_.node_count(); ++node) {
      transport::Endpoint& endpoint = maybe_faulty(fabric_.endpoint(node), has_faults);
      transport::Endpoint& announcements = maybe_faulty(announcements_.endpoint(node), has_faults);
      nodes_.push_back(std::make_unique<Node>(topology_, node,
                                              Board::k_fixed_bytes + Board::k_entries * area_bytes, first,
                                              endpoint, announcements));
    }
  }

  template <class Body>
  void on_every_rank(Body body) {
    std::vector<std::thread> ranks;
    for (Rank rank = 0; rank < topology_.rank_count(); ++rank) ranks.emplace_back([&, rank] { body(rank); });
    for (std::thread& rank : ranks) rank.join();
    for (const auto& node : nodes_) node->end();
    for (const auto& node : nodes_) node->join();
    EXPECT_EQ(fabric_.waiting_count(), 0u);
  }

  const Topology& topology() const { return topology_; }
  const Board& board(Rank rank) const {
    return nodes_[static_cast<size_t>(topology_.node_of(rank))]->board();
  }
  uint32_t first() const { return first_; }

 private:
  transport::Endpoint& maybe_faulty(transport::Endpoint& endpoint, bool has_faults) {
    if (!has_faults) return endpoint;
    faulty_.push_back(
        std::make_unique<transport::FaultEndpoint>(endpoint, transport::Faults{.seed = faulty_.size() + 1,
                                                                               .refuse_percent = 20,
                                                                               .delay_percent = 20,
                                                                               .hold_percent = 20,
                                                                               .max_delay_polls = 5}));
    return *faulty_.back();
  }

  const Topology topology_;
  transport::LoopbackFabric fabric_, announcements_;
  std::vector<std::unique_ptr<transport::FaultEndpoint>> faulty_;
  const uint32_t first_;
  std::vector<std::unique_ptr<Node>> nodes_;
};

int32_t value(Rank rank, uint64_t index, uint64_t round) {
  return static_cast<int32_t>(static_cast<uint64_t>(rank) * 1000003 + index * 31 + round * 7);
}

/// One rank's buffers of one call of `count` integers, or `count` for each block.
class Data {
 public:
  Data(Collective collective, Rank me, Rank ranks, Rank root, uint64_t count, uint64_t round, bool in_place)
      : collective_(collective),
        me_(me),
        ranks_(ranks),
        root_(root),
        count_(count),
        round_(round),
        in_place_(in_place && may_be_in_place()) {
    const auto p = static_cast<uint64_t>(ranks);
    input_.resize(has_blocks_in() ? p * count : count);
    output_.assign(has_blocks_out() ? p * count : count, -1);
    for (uint64_t i = 0; i < input_.size(); ++i) input_[i] = value(me, i, round);
    if (collective == Collective::bcast && me == root) output_ = input_;
    if (!in_place_) return;
    const uint64_t at = has_blocks_out() ? static_cast<uint64_t>(me) * count : 0;
    std::copy(input_.begin(), input_.end(), output_.begin() + static_cast<ptrdiff_t>(at));
  }

  BoardCall::Buffers buffers() {
    const bool reads_output = in_place_ || collective_ == Collective::bcast;
    return {.input = reinterpret_cast<const std::byte*>(reads_output ? output_.data() : input_.data()),
            .output = reinterpret_cast<std::byte*>(output_.data()),
            .in_place = in_place_};
  }

  bool is_right() const {
    for (uint64_t i = 0; i < output_.size(); ++i)
      if (has_result() && output_[i] != expected(i)) return false;
    return true;
  }

 private:
  bool may_be_in_place() const {
    const bool is_rooted = collective_ == Collective::reduce || collective_ == Collective::gather;
    if (is_rooted) return me_ == root_;
    return collective_ == Collective::allreduce || collective_ == Collective::allgather;
  }
  bool has_blocks_in() const {
    return collective_ == Collective::scatter || collective_ == Collective::alltoall ||
           collective_ == Collective::reduce_scatter_block;
  }
  bool has_blocks_out() const {
    return collective_ == Collective::allgather || collective_ == Collective::gather ||
           collective_ == Collective::alltoall;
  }
  bool has_result() const {
    const bool at_root_only = collective_ == Collective::reduce || collective_ == Collective::gather;
    return collective_ != Collective::barrier && (!at_root_only || me_ == root_);
  }
  int32_t sum(uint64_t index) const {
    uint32_t sum = 0;
    for (Rank rank = 0; rank < ranks_; ++rank) sum += static_cast<uint32_t>(value(rank, index, round_));
    return static_cast<int32_t>(sum);
  }
  int32_t expected(uint64_t i) const {
    const auto me = static_cast<uint64_t>(me_);
    switch (collective_) {
      case Collective::bcast:
        return value(root_, i, round_);
      case Collective::reduce:
      case Collective::allreduce:
        return sum(i);
      case Collective::reduce_scatter_block:
        return sum(me * count_ + i);
      case Collective::scatter:
        return value(root_, me * count_ + i, round_);
      case Collective::alltoall:
        return value(static_cast<Rank>(i / count_), me * count_ + i % count_, round_);
      default:
        return value(static_cast<Rank>(i / count_), i % count_, round_);  // gather, allgather
    }
  }

  const Collective collective_;
  const Rank me_, ranks_, root_;
  const uint64_t count_, round_;
  const bool in_place_;
  std::vector<int32_t> input_, output_;
};

Description describe(const World& world, Collective collective, Rank root, uint64_t count) {
  const uint64_t area = world.board(0).area_bytes();
  const uint64_t part = agent::Layout::longest_part(world.topology(), collective, sizeof(int32_t), area);
  const bool is_empty = collective == Collective::barrier;
  return {.collective = collective,
          .op = engine::Operator::sum,
          .element = engine::ElementType::int32,
          .root = root,
          .block_bytes = is_empty ? 0 : count * sizeof(int32_t),
          .begin = 0,
          .bytes = is_empty ? 0 : std::min(part, count * sizeof(int32_t))};
}

/// A rank that calls one collective after the other.
class Caller {
 public:
  Caller(World& world, Rank me) : world_(world), me_(me), sequence_(world.first()) {}

  void call(Collective collective, Rank root, uint64_t count, uint64_t round, bool in_place) {
    Data data(collective, me_, world_.topology().rank_count(), root, count, round, in_place);
    const Description whole = describe(world_, collective, root, count);
    BoardCall call(world_.board(me_), world_.topology(), me_, whole, sequence_, data.buffers(), [] {});
    sequence_ += BoardCall::part_count(whole);
    support::Patience patience(60);
    while (!call.is_done() && !patience.is_over())
      if (!call.progress()) std::this_thread::sleep_for(std::chrono::microseconds(20));
    ASSERT_TRUE(call.is_done()) << to_string(collective) << " round " << round << " rank " << me_;
    EXPECT_TRUE(call.status()) << call.status().message();
    EXPECT_TRUE(data.is_right()) << to_string(collective) << " of " << count << ", round " << round
                                 << ", rank " << me_;
  }

 private:
  World& world_;
  const Rank me_;
  uint32_t sequence_;
};

struct Case {
  const char* name;
  std::vector<int32_t> nodes;
  uint64_t area_bytes;
  uint32_t first = 0;
  bool has_faults = false;
};

class Agents : public testing::TestWithParam<Case> {};

TEST_P(Agents, GiveTheRightResultsWheneverRanksCome) {
  const Case& one = GetParam();
  World world(one.nodes, one.area_bytes, one.first, one.has_faults);
  world.on_every_rank([&](Rank me) {
    Caller caller(world, me);
    std::mt19937 late(static_cast<unsigned>(me)), common(7);
    for (uint64_t round = 0; round < 60; ++round) {
      if (late() % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(late() % 2000));
      const Collective collective = k_served[common() % std::size(k_served)];
      const Rank root = static_cast<Rank>(common() % static_cast<unsigned>(world.topology().rank_count()));
      const uint64_t counts[] = {1, 5, 64, 700};
      const uint64_t count = counts[common() % std::size(counts)];
      caller.call(collective, root, count, round, common() % 2 == 0);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Agents,
    testing::Values(Case{"two_by_two", {0, 0, 1, 1}, 4096}, Case{"cyclic", {0, 1, 0, 1, 0, 1}, 4096},
                    Case{"uneven", {0, 0, 0, 1, 2, 2}, 1024}, Case{"spread", {0, 1, 2, 3, 4}, 1024},
                    Case{"one_node", {0, 0, 0}, 1024}, Case{"five_nodes", {0, 1, 2, 3, 4, 0, 1, 2}, 512},
                    Case{"wrapping", {0, 0, 1, 1}, 512, UINT32_MAX - 20},
                    Case{"faults", {0, 1, 1, 2, 0}, 1024, 0, true}),
    [](const auto& shape) { return std::string(shape.param.name); });

/// A late rank: comes when that many others have left.
void wait_until_left(const std::atomic<Rank>& left, Rank count) {
  support::Patience patience(60);
  while (left < count && !patience.is_over()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_GE(left, count) << "the others wait for a late rank";
}

// Paper 000: no rank waits for a process that would be a fixed leader.
TEST(Agent, ABroadcastPassesNodesWhereNoRankHasCome) {
  World world({0, 1, 2, 3}, 1024);
  std::atomic<Rank> left{0};
  world.on_every_rank([&](Rank me) {
    if (me == 1 || me == 2) wait_until_left(left, 2);  // inner nodes of the tree
    Caller(world, me).call(Collective::bcast, 0, 100, 1, false);
    ++left;
  });
}

/// Blocks of different sizes, one of them empty, in the reverse order of the ranks and with gaps.
struct Uneven {
  static constexpr uint64_t k_ranks = 5;
  const std::array<uint64_t, k_ranks> counts{0, 50, 70, 33, 70};
  std::array<uint64_t, k_ranks> sizes{}, offsets{};
  uint64_t total = 0;

  Uneven() {
    for (size_t rank = k_ranks; rank-- > 0;) {
      sizes[rank] = counts[rank] * sizeof(int32_t);
      offsets[rank] = total;
      total += sizes[rank] + sizeof(int32_t);
    }
  }
  algorithm::Blocks blocks() const { return {.sizes = sizes, .offsets = offsets}; }
  /// Element i of the block of `rank`.
  size_t at(size_t rank, uint64_t i) const { return offsets[rank] / sizeof(int32_t) + i; }
};

void run(World& world, Rank me, const Description& whole, BoardCall::Buffers buffers) {
  BoardCall call(world.board(me), world.topology(), me, whole, world.first(), buffers, [] {});
  support::Patience patience(60);
  while (!call.is_done() && !patience.is_over())
    if (!call.progress()) std::this_thread::sleep_for(std::chrono::microseconds(20));
  EXPECT_TRUE(call.is_done() && call.status());
}

Description describe_uneven(const World& world, const Uneven& uneven, Collective collective) {
  Description whole = agent::describe(algorithm::Request{.collective = collective,
                                                         .rank_count = Uneven::k_ranks,
                                                         .element_bytes = sizeof(int32_t),
                                                         .blocks = uneven.blocks()},
                                      world.topology(), world.board(0).area_bytes());
  whole.element = engine::ElementType::int32;
  EXPECT_GT(BoardCall::part_count(whole), 1u);
  return whole;
}

TEST(Agent, GathersBlocksOfDifferentSizesWhereTheyBelong) {
  World world({0, 1, 0, 1, 1}, 512);
  const Uneven uneven;
  const Description whole = describe_uneven(world, uneven, Collective::allgatherv);
  world.on_every_rank([&](Rank me) {
    std::vector<int32_t> mine(uneven.counts[static_cast<size_t>(me)]),
        all(uneven.total / sizeof(int32_t), -1);
    for (uint64_t i = 0; i < mine.size(); ++i) mine[i] = value(me, i, 1);
    run(world, me, whole,
        {.input = reinterpret_cast<const std::byte*>(mine.data()),
         .output = reinterpret_cast<std::byte*>(all.data()),
         .blocks = uneven.blocks()});
    for (size_t rank = 0; rank < Uneven::k_ranks; ++rank) {
      const uint64_t count = uneven.counts[rank];
      for (uint64_t i = 0; i < count; ++i)
        ASSERT_EQ(all[uneven.at(rank, i)], value(static_cast<Rank>(rank), i, 1)) << rank << ' ' << i;
      EXPECT_EQ(all[uneven.at(rank, count)], -1) << "the gap behind block " << rank;
    }
  });
}

TEST(Agent, ScattersSumsInBlocksOfDifferentSizes) {
  World world({0, 1, 0, 1, 1}, 512);
  const Uneven uneven;
  const Description whole = describe_uneven(world, uneven, Collective::reduce_scatter);
  world.on_every_rank([&](Rank me) {
    std::vector<int32_t> mine(uneven.total / sizeof(int32_t)),
        sums(uneven.counts[static_cast<size_t>(me)] + 1, -1);
    for (uint64_t i = 0; i < mine.size(); ++i) mine[i] = value(me, i, 1);
    run(world, me, whole,
        {.input = reinterpret_cast<const std::byte*>(mine.data()),
         .output = reinterpret_cast<std::byte*>(sums.data()),
         .blocks = uneven.blocks()});
    for (uint64_t i = 0; i + 1 < sums.size(); ++i) {
      uint32_t sum = 0;
      for (Rank rank = 0; rank < static_cast<Rank>(Uneven::k_ranks); ++rank)
        sum += static_cast<uint32_t>(value(rank, uneven.at(static_cast<size_t>(me), i), 1));
      ASSERT_EQ(sums[i], static_cast<int32_t>(sum)) << i;
    }
    EXPECT_EQ(sums.back(), -1);
  });
}

TEST(Agent, ARankThatCannotDoItsPartHoldsUpNobody) {
  World world({0, 0, 1, 1}, 512);
  const Description whole = describe(world, Collective::allgather, 0, 100);
  world.on_every_rank([&](Rank me) {
    std::vector<int32_t> mine(100, me), all(400, -1);
    BoardCall::Buffers buffers{.input = reinterpret_cast<const std::byte*>(mine.data()),
                               .output = reinterpret_cast<std::byte*>(all.data())};
    if (me == 2) buffers = {};
    run(world, me, whole, buffers);
    if (me == 2) return;
    for (const Rank rank : {0, 1, 3}) EXPECT_EQ(all[static_cast<size_t>(rank) * 100 + 99], rank);
  });
}

TEST(Agent, AReductionLeavesAllButItsRootAtOnce) {
  World world({0, 0, 1, 1}, 1024);
  std::atomic<Rank> left{0};
  world.on_every_rank([&](Rank me) {
    if (me == 3) wait_until_left(left, 2);
    Caller(world, me).call(Collective::reduce, 0, 100, 1, false);
    ++left;
  });
}

}  // namespace
}  // namespace tutti::test
