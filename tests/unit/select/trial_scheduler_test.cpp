// Tests when another candidate takes over, according to the agreement of the ranks.

#include "select/trial_scheduler.hpp"

#include <gtest/gtest.h>

namespace tutti::select {
namespace {

constexpr uint32_t k_other = 1;

struct Figures {
  uint64_t slowest, total;
};
constexpr Figures k_running{1'000'000, 4'000'000};

/// The trials after which a candidate of these costs has taken over; 0: it has not.
uint32_t trials_until_switch(size_t native, Figures other) {
  TrialScheduler scheduler(3, native, {.budget_permille = 500, .agreement_ns = 1});
  for (int round = 0; round < 30 && scheduler.choice() == 0; ++round) {
    RoundMeasurements all{.elapsed = scheduler.round().effect_call * k_running.slowest};
    for (size_t i = 0; i < scheduler.round().slots.size(); ++i) {
      const bool is_other = scheduler.round().slots[i].candidate == k_other;
      all.inside.most[i] = is_other ? other.slowest : k_running.slowest;
      all.inside.total[i] = is_other ? other.total : k_running.total;
    }
    scheduler.apply(all);
  }
  return scheduler.switches().empty() ? 0 : scheduler.switches().front().trials;
}

constexpr Figures k_half_of_both{500'000, 2'000'000};
constexpr Figures k_half_of_slowest{500'000, 4'000'000};
constexpr Figures k_half_of_total{1'000'000, 2'000'000};
constexpr size_t k_native_runs = 0, k_native_waits = 2;
constexpr uint32_t k_few = 6;

TEST(TrialScheduler, FewTrialsAreEnoughAgainstTheNativeMpiByBothFigures) {
  const uint32_t trials = trials_until_switch(k_native_runs, k_half_of_both);
  EXPECT_GT(trials, 0u);
  EXPECT_LT(trials, k_few);
}

TEST(TrialScheduler, OneFigureTakesMoreTrialsAgainstTheNativeMpi) {
  EXPECT_GE(trials_until_switch(k_native_runs, k_half_of_slowest), k_few);
  EXPECT_GE(trials_until_switch(k_native_runs, k_half_of_total), k_few);
}

TEST(TrialScheduler, OneFigureOfFewTrialsIsEnoughAgainstAnotherAlgorithm) {
  for (const Figures& other : {k_half_of_slowest, k_half_of_total}) {
    const uint32_t trials = trials_until_switch(k_native_waits, other);
    EXPECT_GT(trials, 0u);
    EXPECT_LT(trials, k_few);
  }
}

}  // namespace
}  // namespace tutti::select
