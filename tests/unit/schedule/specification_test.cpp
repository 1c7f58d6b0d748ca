// algorithm::verify() on algorithms written wrong on purpose.

#include "algorithm/specification.hpp"

#include <gtest/gtest.h>

#include "algorithm/catalogue.hpp"

namespace tutti::algorithm {
namespace {

using schedule::Failure;

std::vector<Request> bcast_requests(Rank p) {
  return std::vector<Request>(static_cast<size_t>(p),
                              {.collective = Collective::bcast, .rank_count = p, .bytes = 100});
}

TEST(Specification, RightAlgorithmWithItsFormula) {
  const Algorithm& linear = *find(Collective::bcast, "linear");
  const auto report = verify(linear, bcast_requests(4), Topology::flat(4), {});
  EXPECT_TRUE(report.is_ok()) << report.message;
  EXPECT_EQ(report.counts.rounds, 1u);
  EXPECT_EQ(report.counts.busiest_bytes, 300u);
}

TEST(Specification, WrongCostFormula) {
  Algorithm wrong = *find(Collective::bcast, "linear");
  wrong.cost = [](const Request& request, const Topology&, const ParameterSet&) {
    return Cost{2, 3 * request.bytes};
  };
  const auto report = verify(wrong, bcast_requests(4), Topology::flat(4), {});
  EXPECT_EQ(report.failure, Failure::cost);
  EXPECT_NE(report.message.find("counted 1 rounds and 300 bytes"), std::string::npos) << report.message;
}

TEST(Specification, UpperBoundMayBeLooseButNotTooLow) {
  Algorithm bounded = *find(Collective::bcast, "linear");
  bounded.cost = [](const Request& request, const Topology&, const ParameterSet&) {
    return Cost{5, 4 * request.bytes, true};
  };
  EXPECT_TRUE(verify(bounded, bcast_requests(4), Topology::flat(4), {}).is_ok());
  EXPECT_EQ(verify(bounded, bcast_requests(6), Topology::flat(6), {}).failure, Failure::cost);
}

TEST(Specification, BuildErrorNamesTheRank) {
  Algorithm failing = *find(Collective::bcast, "linear");
  failing.build = [](const Request&, Rank me, const Topology&,
                     const ParameterSet&) -> base::Result<Schedule> {
    if (me == 2) return base::Status::internal("no");
    return schedule::ScheduleBuilder().finish();
  };
  const auto report = verify(failing, bcast_requests(4), Topology::flat(4), {});
  EXPECT_EQ(report.failure, Failure::build);
  EXPECT_EQ(report.rank, 2);
}

TEST(Specification, AlgorithmThatDoesNothing) {
  Algorithm idle = *find(Collective::bcast, "linear");
  idle.build = [](const Request&, Rank, const Topology&, const ParameterSet&) {
    return schedule::ScheduleBuilder().finish();
  };
  EXPECT_EQ(verify(idle, bcast_requests(2), Topology::flat(2), {}).failure, Failure::wrong_result);
  Algorithm barrier = idle;
  barrier.collective = Collective::barrier;
  const std::vector<Request> requests(2, {.collective = Collective::barrier, .rank_count = 2});
  EXPECT_EQ(verify(barrier, requests, Topology::flat(2), {}).failure, Failure::not_synchronised);
}

TEST(Specification, ExscanLeavesTheFirstRankAlone) {
  const std::vector<Request> requests(
      3, {.collective = Collective::exscan, .rank_count = 3, .bytes = 8, .in_place = true});
  const auto contents = specify(requests);
  ASSERT_EQ(contents[0].output_after.size(), 1u);
  EXPECT_EQ(contents[0].output_after[0].first, 0);
  EXPECT_EQ(contents[0].output_after[0].contributor_count, 1);
  EXPECT_EQ(contents[2].output_after[0].contributor_count, 2);
  EXPECT_TRUE(contents[2].input.empty());
}

TEST(Specification, GatherOfUnevenBlocksWithGaps) {
  const uint64_t sizes[] = {4, 0, 2}, offsets[] = {10, 3, 0};
  std::vector<Request> requests(3, {.collective = Collective::gatherv, .rank_count = 3, .root = 1});
  for (size_t r = 0; r < 3; ++r) requests[r].own_bytes = sizes[r];
  requests[0].blocks.known = requests[2].blocks.known = false;
  requests[1].blocks = {.sizes = sizes, .offsets = offsets};
  const auto contents = specify(requests);
  EXPECT_TRUE(contents[0].output_after.empty());
  ASSERT_EQ(contents[1].output_after.size(), 3u);
  EXPECT_EQ(contents[1].output_after[0].at, 10u);
  EXPECT_EQ(contents[1].output_after[2].length, 2u);
}

}  // namespace
}  // namespace tutti::algorithm
