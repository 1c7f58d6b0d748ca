// Tests what the report advises: whether the work can be spread, and with what late ranks are compared.

#include <gtest/gtest.h>

#include "played.hpp"
#include "record/analysis/verdicts.hpp"

namespace tutti::record::analysis {
namespace {

std::string told(const Json& report) {
  std::string all;
  for (const Json& sentence : report["what_to_do"]) all += sentence.get<std::string>() + '\n';
  return all;
}

TEST(Advice, ATokenInARingIsNotSpreadAlthoughOneRankIsSlow) {
  for (const uint32_t ranks_of_ring : {2, 4, 6}) {
    Played run(ranks_of_ring);
    for (int i = 0; i < 60; ++i)
      for (uint32_t rank = 0; rank < ranks_of_ring; ++rank) {
        run.receive(rank, (rank + ranks_of_ring - 1) % ranks_of_ring);
        run.work(rank, rank == 1 ? 20 * k_ms : 4 * k_ms);
      }
    const Json report = run.report();
    EXPECT_EQ(ranks(report), Ranks{1});
    EXPECT_EQ(told(report).find("spread evenly"), std::string::npos) << told(report);
    EXPECT_FALSE(report["totals"].contains("without_lateness_ns"));
  }
}

/// A front of work goes forth and back, in blocks.
TEST(Advice, ASweepIsNotSpread) {
  constexpr uint32_t k_ranks = 6;
  Played run(k_ranks);
  const auto step = [&](uint32_t rank) { run.work(rank, rank == 2 ? 11 * k_ms : 3 * k_ms); };
  for (int i = 0; i < 20; ++i) {
    for (const bool is_back : {false, true})
      for (int block = 0; block < 6; ++block)
        for (uint32_t k = 0; k < k_ranks; ++k) {
          const uint32_t rank = is_back ? k_ranks - 1 - k : k;
          if (k > 0) run.receive(rank, is_back ? rank + 1 : rank - 1);
          step(rank);
        }
    run.allreduce();
  }
  const Json report = run.report();
  EXPECT_EQ(ranks(report), Ranks{2});
  EXPECT_EQ(told(report).find("spread evenly"), std::string::npos) << told(report);
}

TEST(Advice, WorkBetweenMessagesOfNeighboursIsSpread) {
  Played run(8);
  for (int i = 0; i < 60; ++i) {
    run.all_work(4 * k_ms);
    run.work(3, 5 * k_ms);
    run.work(i % 8, 300 * k_us);
    run.halo();
  }
  EXPECT_NE(told(run.report()).find("spread evenly"), std::string::npos);
}

/// Ranks 2 and 3 wait for the others in MPI_Finalize.
TEST(Advice, RanksThatEndEarlyTakeOverWork) {
  Played run(4);
  for (int i = 0; i < 60; ++i) {
    run.all_work(5 * k_ms);
    run.work(0, 10 * k_ms);
    run.exchange(0, 1);
    run.exchange(2, 3);
  }
  const Json report = run.report();
  EXPECT_EQ(ranks(report), Ranks{0});
  EXPECT_NEAR(report["totals"]["without_lateness_ns"].get<double>() / k_ms, 60 * (30.0 / 4 + 0.02), 5);
}

/// Ranks 0-3 are late together, and meet the others seldom.
TEST(Advice, LateRanksAreComparedWithThoseThatAreNotLate) {
  for (const bool are_compared : {true, false}) {
    Played run(8, false);
    for (int i = 0; i < 60; ++i) {
      run.all_work(2 * k_ms);
      for (const uint32_t rank : {0, 1, 2, 3}) run.work(rank, 4 * k_ms + rank * k_us);
      run.allreduce_of_half(0);
      if (are_compared) run.allreduce_of_half(1);
      if (i % 3 == 2) run.allreduce();
    }
    const Json report = run.report();
    EXPECT_EQ(ranks(report), (Ranks{0, 1, 2, 3})) << told(report);
    EXPECT_EQ(told(report).find("takes 6.0 ms after") != std::string::npos, are_compared) << told(report);
    EXPECT_EQ(told(report).find("where others take 2.0 ms") != std::string::npos, are_compared)
        << told(report);
    EXPECT_EQ(told(report).find("where others take 6.0 ms"), std::string::npos) << told(report);
  }
}

TEST(Advice, TheCallThatWaitsForMessagesIsTheOneTheProgramHas) {
  for (const bool are_several : {false, true}) {
    Played run(4);
    run.name(MessageCall::wait, "MPI_Waitall");
    if (are_several) run.name(MessageCall::wait, "MPI_Waitany");
    for (uint32_t i = 0; i < 80; ++i) {
      run.all_work(k_ms);
      run.work(i / 20, 8 * k_ms);
      run.halo();
    }
    const std::string it = text(run.report());
    EXPECT_NE(it.find(are_several ? "messages in MPI_Waitall or MPI_Waitany." : "messages in MPI_Waitall."),
              std::string::npos)
        << it;
  }
}

}  // namespace
}  // namespace tutti::record::analysis
