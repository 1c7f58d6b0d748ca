// Tests the choice for a call: the same on all ranks, regardless of late ranks.

#include "collective/collective_dispatcher.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "tests/unit/collective/ranks.hpp"

namespace tutti::collective {
namespace {

using algorithm::Collective;
using algorithm::Request;
using select::CallInterface;

constexpr int k_ranks = 4;

topology::Topology two_nodes() {
  return topology::Topology::from_node_of_rank(std::array<int32_t, k_ranks>{0, 0, 1, 1}).value();
}

Request sum(uint64_t bytes) {
  return {.collective = Collective::allreduce, .rank_count = k_ranks, .bytes = bytes, .element_bytes = 8};
}

/// The decisions of one rank about its calls.
using Choices = std::vector<uint32_t>;

constexpr uint32_t k_by_rules = UINT32_MAX;

/// Pretends that candidate i takes (i + 1) µs on rank 0 and half of that elsewhere.
uint64_t pretended_ns(uint32_t candidate, int rank) {
  return (candidate + 1) * (rank == 0 ? 1000u : 500u);
}

Choices decide_blocking(test::RankOfAll& me, int rank, int calls) {
  Choices choices;
  for (int call = 0; call < calls; ++call) {
    // Ranks arrive at different times.
    if ((call * 7 + rank * 3) % 11 == 0) std::this_thread::sleep_for(std::chrono::microseconds(300 * rank));
    const DispatchedCall dispatched = me.dispatcher.prepare(sum(1 << 20), CallInterface::blocking);
    EXPECT_FALSE(dispatched.is_open());
    choices.push_back(dispatched.served_call ? dispatched.served_call->candidate : k_by_rules);
    if (dispatched.is_trial())
      dispatched.site->end(*dispatched.served_call,
                           {.start_ns = pretended_ns(dispatched.served_call->candidate, rank)});
  }
  return choices;
}

TEST(CollectiveDispatcher, AllRanksDecideAlikeHoweverLateSomeAre) {
  constexpr int k_calls = 400;
  transport::LoopbackFabric fabric(std::array<int32_t, k_ranks>{0, 0, 1, 1});
  std::vector<std::unique_ptr<test::RankOfAll>> ranks;
  for (int rank = 0; rank < k_ranks; ++rank)
    ranks.push_back(std::make_unique<test::RankOfAll>(fabric, rank, two_nodes(),
                                                      Options{.tuning = Options::Tuning::all}));
  std::vector<Choices> choices(k_ranks);
  test::on_all_ranks(k_ranks, [&](int rank) {
    test::RankOfAll& me = *ranks[static_cast<size_t>(rank)];
    me.dispatcher.agree_on_node_bytes(uint64_t{1} << 20, 0);
    choices[static_cast<size_t>(rank)] = decide_blocking(me, rank, k_calls);
  });
  for (int rank = 1; rank < k_ranks; ++rank) EXPECT_EQ(choices[static_cast<size_t>(rank)], choices[0]);
  // Something was tried, or the comparison would say nothing.
  EXPECT_NE(std::count(choices[0].begin(), choices[0].end(), choices[0].back()), k_calls);
  test::on_all_ranks(k_ranks, [&](int rank) {
    test::RankOfAll& me = *ranks[static_cast<size_t>(rank)];
    while (me.process.has_agreements()) me.process.drive_agreements();
  });
  EXPECT_EQ(fabric.waiting_count(), 0u);
}

TEST(CollectiveDispatcher, TheRanksUseTheLeastNodeMemoryThatAnyOfThemHas) {
  for (const uint64_t least : {uint64_t{4} << 20, uint64_t{0}}) {
    transport::LoopbackFabric fabric(std::array<int32_t, k_ranks>{0, 0, 1, 1});
    std::array<bool, k_ranks> uses_it{};
    test::on_all_ranks(k_ranks, [&](int rank) {
      test::RankOfAll me(fabric, rank, two_nodes(), {});
      me.dispatcher.agree_on_node_bytes(rank == 2 ? least : uint64_t{8} << 20, 0);
      const Request request{.collective = Collective::bcast, .rank_count = k_ranks, .bytes = 10000};
      const auto choice = algorithm::parse_choice(Collective::bcast, "hierarchical:intra=shared").value();
      uses_it[static_cast<size_t>(rank)] =
          !me.dispatcher.prepare_hint(request, CallInterface::blocking, choice).is_native();
    });
    for (const bool uses : uses_it) EXPECT_EQ(uses, least > 0);
  }
}

TEST(CollectiveDispatcher, AgentsServeWhatEveryNodeHasMemoryFor) {
  for (const uint64_t least : {uint64_t{4096}, uint64_t{0}}) {
    transport::LoopbackFabric fabric(std::array<int32_t, k_ranks>{0, 0, 1, 1});
    test::on_all_ranks(k_ranks, [&](int rank) {
      test::RankOfAll me(fabric, rank, two_nodes(), {}, "TUTTI_BCAST=agent");
      me.dispatcher.agree_on_node_bytes(0, rank == 2 ? least : uint64_t{1} << 16);
      const Request request{.collective = Collective::bcast, .rank_count = k_ranks, .bytes = 10000};
      const PreparedCall prepared = me.dispatcher.prepare(request, CallInterface::blocking).prepared;
      const auto* const by_agents = std::get_if<AgentCall>(&prepared.work);
      EXPECT_EQ(by_agents != nullptr, least > 0);
      EXPECT_EQ(prepared.is_native(), least == 0);
      if (by_agents != nullptr) {
        EXPECT_EQ(by_agents->whole.block_bytes, 10000u);
        EXPECT_LE(by_agents->whole.bytes, least);
      }
      EXPECT_FALSE(std::holds_alternative<AgentCall>(
          me.dispatcher.prepare(request, CallInterface::nonblocking).prepared.work));
    });
  }
}

TEST(CollectiveDispatcher, ProcessesElectNoLeader) {
  transport::LoopbackFabric fabric(std::array<int32_t, k_ranks>{0, 0, 1, 1});
  test::RankOfAll me(fabric, 0, two_nodes(), {}, "TUTTI_BCAST=hierarchical@first");
  const Request request{.collective = Collective::bcast, .rank_count = k_ranks, .bytes = 10000};
  const PreparedCall prepared = me.dispatcher.prepare(request, CallInterface::blocking).prepared;
  EXPECT_TRUE(prepared.is_native());
  EXPECT_NE(prepared.line->reason.find("no message can be addressed to a node"), std::string::npos)
      << prepared.line->reason;
}

TEST(CollectiveDispatcher, TheNextRuleServesWhatABackendRefuses) {
  transport::LoopbackFabric fabric(std::array<int32_t, k_ranks>{0, 0, 1, 1});
  test::RankOfAll me(fabric, 0, two_nodes(), {}, "TUTTI_BCAST=hierarchical:intra=shared");
  const Request request{.collective = Collective::bcast, .rank_count = k_ranks, .bytes = 1 << 20};
  // Without shared memory of the node: the built-in rule follows.
  const PreparedCall prepared = me.dispatcher.prepare(request, CallInterface::nonblocking).prepared;
  EXPECT_FALSE(prepared.is_native()) << prepared.line->reason;
  EXPECT_EQ(prepared.line->choice.find("shared"), std::string::npos) << prepared.line->choice;
}

TEST(CollectiveDispatcher, ANonblockingCallNeverWaitsForOtherRanks) {
  // The others never come: calls are left open from some point on, and this returns. What is under way never ends, so
  // it all stays.
  static auto* const fabric = new transport::LoopbackFabric(std::array<int32_t, k_ranks>{0, 0, 1, 1});
  static auto* const one =
      new test::RankOfAll(*fabric, 1, two_nodes(), Options{.tuning = Options::Tuning::all});
  test::RankOfAll& alone = *one;
  int open_count = 0;
  for (int call = 0; call < 300; ++call) {
    const DispatchedCall dispatched = alone.dispatcher.prepare(sum(1 << 20), CallInterface::nonblocking);
    open_count += dispatched.is_open();
    if (dispatched.is_trial()) dispatched.site->end(*dispatched.served_call, {.start_ns = 1000});
  }
  EXPECT_GT(open_count, 0);
  EXPECT_TRUE(alone.process.has_agreements());
  // Pending calls keep the objects that they need.
  EXPECT_GT(alone.owner.holders(), 0);
}

select::RoundMeasurements of_cost(uint64_t cost) {
  select::RoundMeasurements one;
  one.inside.set(0, cost);
  return one;
}

TEST(CollectiveDispatcher, BothPartsOfAnAgreementHaveTheSameDriver) {
  transport::LoopbackFabric fabric(std::array<int32_t, k_ranks>{0, 0, 1, 1});
  test::on_all_ranks(k_ranks, [&](int rank) {
    test::RankOfAll me(fabric, rank, two_nodes(), {});
    AgreementEndpoint endpoint(
        me.process,
        {.id = 9, .rank = rank, .world_ranks = me.world_ranks, .topology = &me.topology, .owner = &me.owner});
    Agreement agreement(endpoint, 3);
    select::Measured mine{.count = 1, .clock = {.offset_ns = 0, .error_ns = 0}, .has_arrivals = true};
    mine.trials[0] = {.is_known = true, .sample = {.start_ns = 500, .began_ns = 1000u + 100u * rank}};
    agreement.begin(mine);
    me.process.is_stopping = true;
    agreement.wait();
    ASSERT_NE(agreement.arrivals(), nullptr);
    EXPECT_EQ(agreement.arrivals()->spread(0), 300u);
    EXPECT_EQ(agreement.all().inside.most[0], 500u);
  });
}

TEST(CollectiveDispatcher, AnAgreementKeepsItsCommunicatorUntilTheLastRankHasCome) {
  transport::LoopbackFabric fabric(std::array<int32_t, k_ranks>{0, 0, 1, 1});
  std::vector<std::unique_ptr<test::RankOfAll>> ranks;
  for (int rank = 0; rank < k_ranks; ++rank)
    ranks.push_back(std::make_unique<test::RankOfAll>(fabric, rank, two_nodes(), Options{}));
  std::vector<std::unique_ptr<Agreement>> agreements;
  std::vector<std::unique_ptr<AgreementEndpoint>> endpoints;
  const auto group_of = [&](int rank) {
    test::RankOfAll& me = *ranks[static_cast<size_t>(rank)];
    return CommunicatorView{
        .id = 9, .rank = rank, .world_ranks = me.world_ranks, .topology = &me.topology, .owner = &me.owner};
  };
  for (int rank = 0; rank < k_ranks; ++rank) {
    endpoints.push_back(
        std::make_unique<AgreementEndpoint>(ranks[static_cast<size_t>(rank)]->process, group_of(rank)));
    agreements.push_back(std::make_unique<Agreement>(*endpoints.back(), 3));
  }
  const auto drive_all = [&] {
    for (const auto& rank : ranks) rank->process.drive_agreements();
  };
  for (int rank = 0; rank < k_ranks - 1; ++rank)
    agreements[static_cast<size_t>(rank)]->begin(of_cost(static_cast<uint64_t>(rank) + 10));
  for (int i = 0; i < 1000; ++i) drive_all();
  for (int rank = 0; rank < k_ranks - 1; ++rank) {
    EXPECT_FALSE(agreements[static_cast<size_t>(rank)]->is_done()) << rank;
    EXPECT_EQ(ranks[static_cast<size_t>(rank)]->owner.holders(), 1) << rank;
  }
  agreements.back()->begin(of_cost(7));
  for (int i = 0; i < 1000; ++i) drive_all();
  for (int rank = 0; rank < k_ranks; ++rank) {
    EXPECT_TRUE(agreements[static_cast<size_t>(rank)]->is_done()) << rank;
    EXPECT_EQ(agreements[static_cast<size_t>(rank)]->all().inside.most[0], 12u);
    EXPECT_EQ(ranks[static_cast<size_t>(rank)]->owner.holders(), 0) << rank;
  }
  EXPECT_EQ(fabric.waiting_count(), 0u);
}

}  // namespace
}  // namespace tutti::collective
