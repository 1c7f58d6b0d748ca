#include "topology/cpu_shares.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace tutti::topology {
namespace {

using base::CpuShare;
using Shares = std::vector<CpuShare>;

constexpr CpuShare k_own = CpuShare::own, k_crowded = CpuShare::crowded, k_shared = CpuShare::shared;

CpuUse on(std::vector<uint32_t> units, uint32_t threads = 1) {
  return {.units = std::move(units), .quotas = {}, .threads = threads};
}
CpuUse limited(std::vector<uint32_t> units, std::vector<CpuQuota> quotas) {
  return {.units = std::move(units), .quotas = std::move(quotas), .threads = 1};
}
Shares shares_of(const std::vector<CpuUse>& all, const std::vector<uint32_t>& core_of_unit = {}) {
  return share_cpus(all, core_of_unit).of_process;
}

TEST(CpuShares, EveryBoundRankHasItsOwn) {
  EXPECT_EQ(shares_of({on({0}), on({1})}), (Shares{k_own, k_own}));
  EXPECT_EQ(shares_of({on({0, 1}), on({2, 3})}), (Shares{k_own, k_own}));
}

TEST(CpuShares, UnboundRanksCountTogether) {
  EXPECT_EQ(shares_of({on({0, 1}), on({0, 1})}), (Shares{k_own, k_own}));
  EXPECT_EQ(shares_of({on({0, 1}), on({0, 1}), on({0, 1})}), (Shares{k_shared, k_shared, k_shared}));
}

TEST(CpuShares, TwoRanksOnOneUnitShareIt) {
  EXPECT_EQ(shares_of({on({0}), on({0}), on({1})}), (Shares{k_shared, k_shared, k_own}));
}

TEST(CpuShares, OfMasksThatOverlapOneHasWhatTheOthersCannotUse) {
  EXPECT_EQ(shares_of({on({0}), on({0, 1})}), (Shares{k_own, k_own}));
  EXPECT_EQ(shares_of({on({0}), on({0}), on({0, 1})}), (Shares{k_shared, k_shared, k_own}));
  EXPECT_EQ(shares_of({on({0}), on({0, 1}), on({1})}), (Shares{k_shared, k_shared, k_shared}));
  // Three of the first two units; two of the last two.
  EXPECT_EQ(shares_of({on({0, 1}), on({0, 1}), on({0}), on({1, 2, 3}), on({2, 3})}),
            (Shares{k_shared, k_shared, k_shared, k_own, k_own}));
}

TEST(CpuShares, HardwareThreadsOfOneCoreAreCrowded) {
  const std::vector<uint32_t> siblings = {0, 1, 0, 1};  // units 0 and 2 are core 0
  EXPECT_EQ(shares_of({on({0}), on({1})}, siblings), (Shares{k_own, k_own}));
  EXPECT_EQ(shares_of({on({0, 2}), on({1, 3})}, siblings), (Shares{k_own, k_own}));
  EXPECT_EQ(shares_of({on({0}), on({2})}, siblings), (Shares{k_crowded, k_crowded}));
  EXPECT_EQ(shares_of({on({0}), on({2}), on({1, 3})}, siblings), (Shares{k_crowded, k_crowded, k_own}));
  EXPECT_EQ(shares_of({on({0, 2}), on({0, 2}), on({0, 2})}, siblings),
            (Shares{k_shared, k_shared, k_shared}));
}

TEST(CpuShares, ThreadsOfARankCrowdIt) {
  EXPECT_EQ(shares_of({on({0, 1}, 2), on({2, 3}, 2)}), (Shares{k_own, k_own}));
  EXPECT_EQ(shares_of({on({0, 1, 2, 3}, 4), on({0, 1, 2, 3}, 4)}), (Shares{k_crowded, k_crowded}));
  EXPECT_EQ(shares_of({on({0}, 4), on({1}, 4)}), (Shares{k_own, k_own})) << "they take turns on that unit";
}

TEST(CpuShares, AQuotaIsSharedByItsGroup) {
  const CpuQuota one{.group = 7, .milli_cpus = 1000}, two{.group = 8, .milli_cpus = 2000},
      less{.group = 9, .milli_cpus = 1900};
  EXPECT_EQ(shares_of({limited({0, 1}, {one})}), (Shares{k_own}));
  EXPECT_EQ(shares_of({limited({0, 1}, {one}), limited({0, 1}, {one})}), (Shares{k_shared, k_shared}));
  EXPECT_EQ(shares_of({limited({0}, {one}), limited({1}, {one})}), (Shares{k_shared, k_shared}));
  EXPECT_EQ(shares_of({limited({0}, {two}), limited({1}, {two})}), (Shares{k_own, k_own}));
  EXPECT_EQ(shares_of({limited({0}, {less}), limited({1}, {less})}), (Shares{k_shared, k_shared}));
  EXPECT_EQ(shares_of({limited({0}, {one}), limited({1}, {one}), on({2})}),
            (Shares{k_shared, k_shared, k_own}));
}

TEST(CpuShares, NestedGroupsCountTogether) {
  const CpuQuota inner_a{.group = 1, .milli_cpus = 1000}, inner_b{.group = 2, .milli_cpus = 1000};
  const auto around = [](uint32_t milli) { return CpuQuota{.group = 3, .milli_cpus = milli}; };
  EXPECT_EQ(shares_of({limited({0}, {inner_a, around(2000)}), limited({1}, {inner_b, around(2000)})}),
            (Shares{k_own, k_own}));
  EXPECT_EQ(shares_of({limited({0}, {inner_a, around(1500)}), limited({1}, {inner_b, around(1500)})}),
            (Shares{k_shared, k_shared}));
}

TEST(CpuShares, ARankWithoutUnitsShares) {
  EXPECT_EQ(shares_of({on({}), on({0})}), (Shares{k_shared, k_own}));
}

TEST(CpuShares, TwoCoresForEach) {
  using Flags = std::vector<bool>;
  const auto have_two = [](const std::vector<CpuUse>& all) { return share_cpus(all, {}).has_two_cores; };
  EXPECT_EQ(have_two({on({0, 1}), on({2, 3})}), (Flags{true, true}));
  EXPECT_EQ(have_two({on({0, 1, 2}), on({0, 1, 2})}), (Flags{false, false}));
  EXPECT_EQ(have_two({on({0, 1}), on({1, 2})}), (Flags{false, false})) << "no mask of the same kind tells";
  EXPECT_EQ(have_two({limited({0, 1}, {{.group = 1, .milli_cpus = 1000}})}), (Flags{false}));
}

TEST(CpuShares, LargeMachines) {
  std::vector<uint32_t> everywhere(512);
  std::iota(everywhere.begin(), everywhere.end(), 0);
  const std::vector<CpuUse> unbound(512, on(everywhere));
  EXPECT_EQ(shares_of(unbound), Shares(512, k_own));
  std::vector<CpuUse> bound;
  for (uint32_t unit = 0; unit < 512; ++unit) bound.push_back(on({unit}));
  bound.push_back(on(everywhere));
  EXPECT_EQ(shares_of(bound), Shares(513, k_shared)) << "the last one may take any unit";
}

}  // namespace
}  // namespace tutti::topology
