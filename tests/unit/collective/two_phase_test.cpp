// Calls of two parts: the sizes of what passes through a rank come first.

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "algorithm/block_forwarding.hpp"
#include "collective/collective_dispatcher.hpp"
#include "tests/unit/collective/ranks.hpp"

namespace tutti::collective {
namespace {

using algorithm::Collective;
using select::CallInterface;

constexpr int k_relaying_ranks = 4;

class Relayed : public testing::Test {
 protected:
  algorithm::Request request() const {
    return {.collective = Collective::alltoallv,
            .rank_count = k_relaying_ranks,
            .own_bytes = sizes_[0],
            .blocks = {.sizes = sizes_},
            .receive_blocks = {.sizes = sizes_}};
  }

  transport::LoopbackFabric fabric_{std::array<int32_t, k_relaying_ranks>{0, 0, 1, 1}};
  test::RankOfAll me_{
      fabric_,
      0,
      topology::Topology::from_node_of_rank(std::array<int32_t, k_relaying_ranks>{0, 0, 1, 1}).value(),
      {},
      "TUTTI_ALLTOALLV=parlogna:radix=2"};
  std::vector<uint64_t> sizes_{8, 16, 24, 32};
};

TEST_F(Relayed, TheSecondPartIsPlannedWithTheSizesOfTheFirst) {
  const DispatchedCall dispatched = me_.dispatcher.prepare(request(), CallInterface::blocking);
  ASSERT_TRUE(std::holds_alternative<TwoPhaseCall>(dispatched.prepared.work));
  const auto& call = std::get<TwoPhaseCall>(dispatched.prepared.work);
  ASSERT_NE(call.sizes_plan, nullptr);
  EXPECT_EQ(call.forwarded_blocks.size(), 4u);  // two blocks at distance 1, two at distance 2
  // Rank 3's for here and for rank 2, rank 2's and rank 1's for here.
  const std::vector<uint64_t> passing{sizes_[3], 40, sizes_[2], sizes_[1]};
  const auto plan = me_.dispatcher.plan_second_part(call, passing);
  ASSERT_TRUE(plan) << plan.status().message();
  EXPECT_EQ(me_.dispatcher.plan_second_part(call, passing).value(), *plan) << "it is kept";
  const std::vector<uint64_t> others{sizes_[3], 48, sizes_[2], sizes_[1]};
  EXPECT_NE(me_.dispatcher.plan_second_part(call, others).value(), *plan);
  const DispatchedCall again = me_.dispatcher.prepare(request(), CallInterface::blocking);
  EXPECT_EQ(std::get<TwoPhaseCall>(again.prepared.work).sizes_plan, call.sizes_plan);
}

/// The program of one of the two ranks is wrong: this rank takes part, so that its peer does not wait forever, and
/// then fails.
TEST_F(Relayed, ABlockOfAnotherLengthThanExpectedIsAnErrorAfterwards) {
  const DispatchedCall dispatched = me_.dispatcher.prepare(request(), CallInterface::blocking);
  const auto& call = std::get<TwoPhaseCall>(dispatched.prepared.work);
  const std::vector<uint64_t> right{sizes_[3], 40, sizes_[2], sizes_[1]};
  EXPECT_TRUE(call.check(0, right));
  for (const uint64_t other : {uint64_t{0}, sizes_[3] - 1, sizes_[3] + 1}) {
    const std::vector<uint64_t> wrong{other, 40, sizes_[2], sizes_[1]};
    EXPECT_EQ(call.check(0, wrong).code(), base::Code::invalid_argument);
    EXPECT_TRUE(me_.dispatcher.plan_second_part(call, wrong));
  }
}

TEST_F(Relayed, CallsThatDoNotWaitGoToTheNativeMpi) {
  for (const CallInterface kind : {CallInterface::nonblocking, CallInterface::persistent})
    EXPECT_TRUE(me_.dispatcher.prepare(request(), kind).prepared.is_native());
}

}  // namespace
}  // namespace tutti::collective
