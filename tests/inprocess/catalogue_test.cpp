// Every algorithm of the catalogue, carried out on real bytes by ranks as threads, against a sequential
// reference.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "algorithm/block_forwarding.hpp"
#include "algorithm/catalogue.hpp"
#include "engine/plan.hpp"
#include "tests/inprocess/reference.hpp"
#include "tests/inprocess/world.hpp"
#include "tests/model/grid.hpp"
#include "tests/support/operators.hpp"
#include "tests/support/sanitizer.hpp"

namespace tutti::test {
namespace {

using algorithm::Algorithm;
using engine::Plan;
using model::Grid;
using model::Point;
using model::Requests;
using schedule::Rank;

constexpr Rank k_rank_counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 16};
// Per number of ranks, with and without faults.
constexpr uint64_t k_points = k_is_sanitized ? 2 : 4;

std::vector<std::shared_ptr<const Plan>> make_plans(const Algorithm& algorithm, const Requests& requests,
                                                    const Point& point, engine::Limits limits) {
  const topology::Topology& topology = point.topology->topology;
  const algorithm::TwoPhaseRequests two_phase(algorithm, requests.every_rank(), topology, point.parameters);
  std::vector<std::shared_ptr<const Plan>> plans;
  for (Rank r = 0; r < point.situation.rank_count; ++r) {
    auto schedule =
        algorithm.build(two_phase.every_rank()[static_cast<size_t>(r)], r, topology, point.parameters);
    if (!schedule) {
      ADD_FAILURE() << "rank " << r << ": " << schedule.status().message();
      return {};
    }
    auto plan = Plan::make(std::move(*schedule), limits);
    if (!plan) {
      ADD_FAILURE() << "rank " << r << ": " << plan.status().message();
      return {};
    }
    plans.push_back(*plan);
  }
  return plans;
}

/// Position of the first byte that differs; -1 when none does.
ptrdiff_t first_difference(const std::vector<std::byte>& actual, const std::vector<std::byte>& expected) {
  const auto [at, other] = std::mismatch(actual.begin(), actual.end(), expected.begin(), expected.end());
  return at == actual.end() && other == expected.end() ? -1 : at - actual.begin();
}

class InProcess : public testing::TestWithParam<const Algorithm*> {
 protected:
  /// Calls visit(point, n) for points of the grid that the algorithm serves.
  template <class Visit>
  void for_points(Rank rank_count, Visit visit) {
    const Algorithm& algorithm = *GetParam();
    const Grid grid(algorithm, rank_count);
    uint64_t served = 0;
    for (uint64_t n = 0; n < grid.budget() && served < k_points && !HasFailure(); ++n) {
      const Point point = grid.point(n);
      const Requests requests(point.situation);
      std::string why_not;
      if (!algorithm.applies(requests.every_rank()[0], point.topology->topology, point.parameters, &why_not))
        continue;
      SCOPED_TRACE(describe(algorithm, point));
      visit(point, requests, served++);
    }
  }

  void run_and_compare(const Point& point, const Requests& requests, engine::Limits limits,
                       const RunOptions& options) {
    const auto plans = make_plans(*GetParam(), requests, point, limits);
    if (plans.empty()) return;
    const auto reducer = make_reducer(point.situation.element_bytes, point.situation.commutative);
    const auto memory = make_memory(requests.every_rank(), reducer.get(), 1);
    const RunResult result = run_ranks(plans, point.topology->topology, memory, reducer.get(), options);
    EXPECT_FALSE(result.timed_out);
    EXPECT_EQ(result.left_behind, 0u);
    for (size_t r = 0; r < plans.size(); ++r) {
      EXPECT_TRUE(result.statuses[r]) << "rank " << r << ": " << result.statuses[r].message();
      for (size_t round = 0; round < options.rounds; ++round)
        EXPECT_EQ(first_difference(result.outputs[round][r], memory[r].expected), -1)
            << "rank " << r << ", round " << round;
    }
  }
};

TEST_P(InProcess, GivesTheReferenceResult) {
  for (const Rank p : k_rank_counts)
    for_points(p, [&](const Point& point, const Requests& requests, uint64_t n) {
      run_and_compare(
          point, requests, {.window = static_cast<uint32_t>(1 + n % 3)},
          {.fabric = {.eager_bytes = n % 2 == 0 ? size_t{0} : size_t{2048}}, .overlaps = n % 3 == 0});
    });
}

TEST_P(InProcess, SurvivesDelayReorderingAndBackPressure) {
  for (const Rank p : k_rank_counts)
    for_points(p, [&](const Point& point, const Requests& requests, uint64_t n) {
      run_and_compare(point, requests, {.window = static_cast<uint32_t>(1 + n % 4)},
                      {.fabric = {.eager_bytes = n % 2 == 0 ? size_t{512} : size_t{0}, .waiting_count = 1},
                       .faults = transport::Faults{.seed = n + 1,
                                                   .refuse_percent = 20,
                                                   .delay_percent = 20,
                                                   .hold_percent = 30,
                                                   .max_delay_polls = 5},
                       .overlaps = n % 2 == 1});
    });
}

TEST_P(InProcess, BuffersMayBeBoundLate) {
  for (const Rank p : {2, 3, 5, 8})  // each round waits for the buffers of every rank
    for_points(p, [&](const Point& point, const Requests& requests, uint64_t n) {
      run_and_compare(point, requests, {.window = static_cast<uint32_t>(1 + n % 3)},
                      {.fabric = {.eager_bytes = n % 2 == 0 ? size_t{0} : size_t{2048}, .waiting_count = 2},
                       .late = LateBinding{.seed = n + static_cast<uint64_t>(p)},
                       .rounds = 2,
                       .overlaps = n % 2 == 1});
    });
}

TEST_P(InProcess, AFailedTransferEndsTheOperationOnEveryRank) {
  for (const Rank p : {2, 5})
    for_points(p, [&](const Point& point, const Requests& requests, uint64_t n) {
      const auto plans = make_plans(*GetParam(), requests, point, {.window = 2});
      const auto failing = static_cast<Rank>(n) % p;
      if (plans.empty() || plans[static_cast<size_t>(failing)]->channels().empty()) return;
      const auto reducer = make_reducer(point.situation.element_bytes, point.situation.commutative);
      const auto memory = make_memory(requests.every_rank(), reducer.get(), 1);
      const RunResult result =
          run_ranks(plans, point.topology->topology, memory, reducer.get(),
                    {.faults = transport::Faults{.failing_transfer = 1, .fails_at_start = n % 2 == 0},
                     .failing_rank = failing,
                     .rounds = 1});
      EXPECT_FALSE(result.timed_out);
      EXPECT_EQ(result.statuses[static_cast<size_t>(failing)].native(),
                transport::FaultEndpoint::k_injected_error);
      for (size_t r = 0; r < plans.size(); ++r) {
        if (result.statuses[r])
          EXPECT_EQ(first_difference(result.outputs[0][r], memory[r].expected), -1)
              << "rank " << r << " saw no error";
        else
          EXPECT_EQ(result.statuses[r].code(), base::Code::system) << result.statuses[r].message();
      }
    });
}

INSTANTIATE_TEST_SUITE_P(Catalogue, InProcess,
                         testing::ValuesIn(algorithm::catalogue().begin(), algorithm::catalogue().end()),
                         [](const auto& row) {
                           return std::string(to_string(row.param->collective)) + "_" +
                                  std::string(row.param->name);
                         });

}  // namespace
}  // namespace tutti::test
