// Tests the verdicts on runs with known late ranks.

#include "record/analysis/verdicts.hpp"

#include <gtest/gtest.h>

#include "played.hpp"

namespace tutti::record::analysis {
namespace {

TEST(Verdicts, ALateRankBehindARoot) {
  Played run(8);
  for (int i = 0; i < 50; ++i) {
    run.all_work(k_ms);
    run.work(5, 5 * k_ms);
    run.reduce(0);
    run.bcast(0);
  }
  const Json report = run.report();
  EXPECT_EQ(kind(report), "slow_rank");
  EXPECT_EQ(ranks(report), Ranks{5});
  EXPECT_NE(report["what_to_do"][1].get<std::string>().find("rank 5 takes 6.0 ms"), std::string::npos);
  // 50 times a millisecond of all, an eighth of five more, and the calls.
  const double without_ms = report["totals"]["without_lateness_ns"].get<double>() / k_ms;
  EXPECT_NEAR(without_ms, 50 * (1 + 5.0 / 8 + 0.04), 5);
}

TEST(Verdicts, AHaloExchangeBeforeTheCollectivePassesTheBlameBack) {
  Played run(8);
  for (int i = 0; i < 50; ++i) {
    run.all_work(k_ms);
    run.work(3, 5 * k_ms);
    run.halo();
    run.all_work(100 * k_us);
    run.work(4, 10 * k_us);  // comes last
    run.allreduce();
  }
  EXPECT_EQ(ranks(run.report()), Ranks{3});
}

TEST(Verdicts, ManyHaloExchangesWithoutACollective) {
  Played run(8);
  for (int i = 0; i < 60; ++i) {
    run.all_work(k_ms);
    run.work(3, 5 * k_ms);
    run.halo();
    if (i % 20 == 19) run.allreduce();
  }
  EXPECT_EQ(ranks(run.report()), Ranks{3});
}

TEST(Verdicts, AChainOfMessagesIsPassedBackToItsFirst) {
  Played run(4);
  for (int i = 0; i < 50; ++i) {
    run.all_work(k_ms);
    run.work(0, 5 * k_ms);
    for (uint32_t rank = 1; rank < 4; ++rank) run.receive(rank, rank - 1);
    run.allreduce();
  }
  EXPECT_EQ(ranks(run.report()), Ranks{0});
}

TEST(Verdicts, RanksThatTakeTurnsAreNotBlamedSingly) {
  Played run(4);
  for (int i = 0; i < 50; ++i) {
    for (uint32_t rank = 0; rank < 4; ++rank) {
      if (rank > 0) run.receive(rank, rank - 1);
      run.work(rank, 2 * k_ms);
    }
    run.allreduce();
  }
  EXPECT_EQ(kind(run.report()), "moving_imbalance");
}

TEST(Verdicts, LateBetweenStartAndWait) {
  Played run(8);
  for (int i = 0; i < 50; ++i) {
    std::vector<uint64_t> computes(8, k_ms);
    computes[2] += 5 * k_ms;
    run.iallreduce(computes);
    run.work(5, 50 * k_us);
    run.allreduce();
  }
  EXPECT_EQ(ranks(run.report()), Ranks{2});
}

TEST(Verdicts, TwoSlowRanksAreBothNamed) {
  Played run(8);
  for (int i = 0; i < 50; ++i) {
    run.all_work(k_ms);
    for (const uint32_t rank : {2, 5}) run.work(rank, 5 * k_ms);
    run.work(5, k_us);  // always the last one
    run.allreduce();
  }
  const Json report = run.report();
  EXPECT_EQ(ranks(report), (Ranks{2, 5}));
  EXPECT_NE(text(report).find("Ranks "), std::string::npos);
}

TEST(Verdicts, ASlowNodeIsAMachine) {
  for (const bool has_machines : {true, false}) {
    Played run(8, has_machines);
    for (int i = 0; i < 50; ++i) {
      run.all_work(k_ms);
      for (uint32_t rank = 4; rank < 8; ++rank) run.work(rank, 5 * k_ms + rank * k_us);
      run.allreduce();
    }
    const Json report = run.report();
    EXPECT_EQ(kind(report), has_machines ? "slow_node" : "slow_rank");
    EXPECT_EQ(ranks(report), has_machines ? Ranks{} : (Ranks{4, 5, 6, 7}));
  }
}

TEST(Verdicts, OneSlowRankOfANodeIsNotTheNode) {
  Played run(4);
  for (int i = 0; i < 50; ++i) {
    run.all_work(k_ms);
    run.work(0, 5 * k_ms);
    run.work(1, 2 * k_ms);
    run.allreduce();
  }
  EXPECT_EQ(ranks(run.report()), Ranks{0});
}

TEST(Verdicts, LatenessThatGrowsIsCalledSo) {
  for (const bool grows : {true, false}) {
    Played run(4);
    for (uint64_t i = 0; i < 120; ++i) {
      run.all_work(2 * k_ms);
      run.work(0, (grows ? i : 60) * 100 * k_us);
      run.allreduce();
    }
    const Json report = run.report();
    EXPECT_EQ(ranks(report), Ranks{0});
    EXPECT_EQ(text(report).find("It grows") != std::string::npos, grows) << text(report);
  }
}

TEST(Verdicts, AFewLateCallsDoNotGrow) {
  Played run(4);
  for (int i = 0; i < 120; ++i) {
    run.all_work(2 * k_ms);
    if (i % 20 == 19) run.work(2, 150 * k_ms);
    run.allreduce();
  }
  const Json report = run.report();
  EXPECT_EQ(ranks(report), Ranks{2});
  EXPECT_EQ(text(report).find("It grows"), std::string::npos);
}

TEST(Verdicts, ALongStartIsNoGrowth) {
  Played run(4);
  run.all_work(2000 * k_ms);
  for (uint64_t i = 0; i < 90; ++i) {
    run.all_work(5 * k_ms);
    run.work(1, 20 * k_ms + i * 60 * k_us);  // a third more in the end
    run.allreduce();
  }
  const Json report = run.report();
  EXPECT_EQ(ranks(report), Ranks{1});
  EXPECT_EQ(text(report).find("It grows"), std::string::npos) << text(report);
}

/// Calls in which no rank is late come first.
TEST(Verdicts, OtherCallsBeforeAreNoGrowth) {
  Played run(4);
  for (int i = 0; i < 300; ++i) run.bcast(0);
  for (int i = 0; i < 100; ++i) {
    run.all_work(5 * k_ms);
    run.work(1, 20 * k_ms);
    run.allreduce();
  }
  const Json report = run.report();
  EXPECT_EQ(ranks(report), Ranks{1});
  EXPECT_EQ(text(report).find("It grows"), std::string::npos) << text(report);
}

TEST(Verdicts, LatenessThatGrowsBeforeMessages) {
  Played run(8);
  for (uint64_t i = 0; i < 120; ++i) {
    run.all_work(2 * k_ms);
    run.work(3, i * 100 * k_us);
    run.halo();
  }
  const Json report = run.report();
  EXPECT_EQ(ranks(report), Ranks{3});
  EXPECT_NE(text(report).find("It grows"), std::string::npos) << text(report);
}

TEST(Verdicts, CallsThatWaitTogetherCountOnce) {
  Played run(4);
  for (int i = 0; i < 50; ++i) {
    run.all_work(k_ms);
    std::vector<uint64_t> computes(4, 0);
    computes[2] = 20 * k_ms;
    run.two_iallreduces(computes);
  }
  const Json report = run.report();  // checks that times add up
  EXPECT_EQ(ranks(report), Ranks{2});
  EXPECT_NEAR(report["totals"]["waiting_ns"].get<double>() / k_ms, 50 * 3 * 20, 50);
  EXPECT_NEAR(report["totals"]["without_lateness_ns"].get<double>() / k_ms, 50 * (1 + 5 + 0.02), 15);
}

/// Rank 1 leaves early, and waits in the next call for the partner that could not leave.
TEST(Verdicts, RanksThatLeaveANonblockingCallAtDifferentTimes) {
  for (const uint32_t calls : {1, 2}) {
    Played run(4);
    for (int i = 0; i < 50; ++i) {
      run.all_work(5 * k_ms);
      if (i % 3 == 0) run.work(0, 100 * k_us);  // comes last
      run.iallreduce_of_pairs(2, 0, 20 * k_ms, calls);
    }
    const Json report = run.report();
    EXPECT_EQ(ranks(report), Ranks{2});
    EXPECT_NEAR(report["totals"]["without_lateness_ns"].get<double>() / k_ms, 50 * (5 + 5), 30);
  }
}

/// The verdicts are the same as for a completely recorded run.
TEST(Verdicts, OneOfTenCallsStandsForAll) {
  for (const uint32_t every : {1, 10}) {
    Played run(6);
    run.sample(every);
    for (int i = 0; i < 300; ++i) {
      run.all_work(2 * k_ms);
      run.work(2, 8 * k_ms);
      run.allreduce();
    }
    const Json report = run.report();
    EXPECT_EQ(ranks(report), Ranks{2});
    EXPECT_NEAR(report["totals"]["waiting_ns"].get<double>() / k_ms, 300 * 5 * 8, 600);
    EXPECT_EQ(report_text(report).find("One of 10 collective calls is recorded") != std::string::npos,
              every > 1);
  }
}

TEST(Verdicts, OneOfTenCallsAndAllMessages) {
  Played run(6);
  run.sample(10);
  for (int i = 0; i < 300; ++i) {
    run.all_work(2 * k_ms);
    run.work(2, 8 * k_ms);
    run.halo();
    run.allreduce();
  }
  EXPECT_EQ(ranks(run.report()), Ranks{2});
}

TEST(Verdicts, SharesAreOfRecordedTime) {
  double shares[2];
  for (const size_t part_of_ten : {0, 8}) {
    Played run(4);
    for (int i = 0; i < 200; ++i) {
      run.all_work(k_ms);
      run.work(1, k_ms);
      run.allreduce();
    }
    run.drop(part_of_ten);
    const Json report = run.report();
    EXPECT_EQ(ranks(report), Ranks{1});
    shares[part_of_ten > 0] =
        report["totals"]["waiting_ns"].get<double>() / report["totals"]["rank_ns"].get<double>();
    EXPECT_EQ(report_text(report).find("640 records were dropped") != std::string::npos, part_of_ten > 0);
  }
  EXPECT_NEAR(shares[1], shares[0], 0.02);
}

TEST(Verdicts, WorkOfOneAfterTheOtherCannotBeBalanced) {
  Played run(4);
  for (int i = 0; i < 50; ++i)
    for (uint32_t rank = 0; rank < 4; ++rank) {
      run.receive(rank, (rank + 3) % 4);
      run.work(rank, 5 * k_ms);
    }
  run.work(2, k_ms);
  run.allreduce();
  const Json report = run.report();
  EXPECT_EQ(kind(report), "moving_imbalance");
  EXPECT_NE(text(report).find("most of it for messages in MPI_Recv"), std::string::npos) << text(report);
  EXPECT_FALSE(report["verdicts"][0].contains("site"));
  for (const Json& sentence : report["what_to_do"])
    EXPECT_EQ(sentence.get<std::string>().find("spread evenly"), std::string::npos) << sentence;
  EXPECT_FALSE(report["totals"].contains("without_lateness_ns"));
  EXPECT_NE(report_text(report).find("messages, which have no call sites"), std::string::npos);
}

/// Equal work, which the machine holds up now and then, one rank more than others.
TEST(Verdicts, RareLongGapsAreNoSlowRank) {
  std::mt19937 random(1);
  Played run(4);
  for (int i = 0; i < 2000; ++i) {
    run.all_work(200 * k_us);
    for (uint32_t rank = 0; rank < 4; ++rank) {
      run.work(rank, random() % 20 * k_us);
      if (random() % 1000 < (rank == 0 ? 60 : 20)) run.work(rank, 4 * k_ms);
    }
    run.reduce(0);
    run.bcast(0);
  }
  const Json report = run.report();
  EXPECT_EQ(kind(report), "late_at_times");
  EXPECT_EQ(ranks(report), Ranks{}) << text(report);
}

TEST(Verdicts, WorkThatOneRankDoesRarelyIsSaidToBeRare) {
  Played run(4);
  for (int i = 0; i < 100; ++i) {
    run.all_work(5 * k_ms);
    if (i % 10 == 9) run.work(3, 200 * k_ms);
    run.allreduce();
  }
  const Json report = run.report();
  EXPECT_EQ(kind(report), "late_at_times");
  EXPECT_EQ(ranks(report), Ranks{3});
  EXPECT_NE(text(report).find("about 10 times"), std::string::npos) << text(report);
}

TEST(Verdicts, OneDelayIsToldAsOne) {
  Played run(4);
  run.work(0, 1500 * k_ms);
  run.bcast(0);
  for (int i = 0; i < 60; ++i) {
    run.all_work(5 * k_ms);
    run.work(i % 4, 10 * k_us);
    run.allreduce();
  }
  const Json report = run.report();
  EXPECT_EQ(kind(report), "late_at_times");
  EXPECT_EQ(ranks(report), Ranks{0});
  EXPECT_NE(text(report).find("by 1.50 s, before call 0, bcast in main"), std::string::npos) << text(report);
  for (const Json& sentence : report["what_to_do"])
    EXPECT_EQ(sentence.get<std::string>().find("alance"), std::string::npos) << sentence;
}

TEST(Verdicts, OneDelayBeforeFinalize) {
  for (const bool has_messages : {true, false}) {
    Played run(4);
    for (int i = 0; i < 100; ++i) {
      run.all_work(5 * k_ms);
      run.work(i % 4, 10 * k_us);
      if (has_messages) run.halo();
      run.allreduce();
    }
    run.work(1, 2000 * k_ms);
    run.finalize();
    const Json report = run.report();
    EXPECT_EQ(kind(report), "late_at_times");
    EXPECT_EQ(ranks(report), Ranks{1});
    EXPECT_NE(text(report).find("Once rank 1"), std::string::npos) << text(report);
    EXPECT_NE(text(report).find("by 2.00 s, before MPI_Finalize"), std::string::npos) << text(report);
    EXPECT_NEAR(report["totals"]["waiting_ns"].get<double>() / k_ms, 3 * 2000, 60);
  }
}

TEST(Verdicts, TheUsualSpreadBeforeFinalizeIsNotLate) {
  Played run(4);
  for (int i = 0; i < 100; ++i) {
    run.all_work(5 * k_ms);
    run.work(i % 4, 10 * k_us);
    run.allreduce();
  }
  run.all_work(5 * k_ms);
  run.work(1, 3 * k_ms);
  run.finalize();
  const Json report = run.report();
  EXPECT_EQ(kind(report), "nothing_wrong") << text(report);
}

/// One of many calls of a place has all the work before it.
TEST(Verdicts, WorkBeforeOneOfManyCallsIsNotRare) {
  Played run(4);
  for (int i = 0; i < 60; ++i) {
    run.all_work(20 * k_ms);
    run.work(3, 10 * k_ms);
    for (int k = 0; k < 20; ++k) {
      run.allreduce();
      run.all_work(5 * k_us);
    }
  }
  const Json report = run.report();
  EXPECT_EQ(kind(report), "slow_rank");
  EXPECT_EQ(ranks(report), Ranks{3});
}

TEST(Verdicts, TheLineAtTheEndOfARunNamesASlowNode) {
  Played run(8);
  for (int i = 0; i < 50; ++i) {
    run.all_work(k_ms);
    for (uint32_t rank = 4; rank < 8; ++rank) run.work(rank, 5 * k_ms + rank * k_us);
    run.allreduce();
  }
  EXPECT_NE(report_line(run.report()).find("% of it for node 1"), std::string::npos);
}

/// The senders of a large message wait for the root, and leave when it does.
TEST(Verdicts, ALateRootThatHoldsUpThoseThatSendToIt) {
  Played run(4);
  for (int i = 0; i < 60; ++i) {
    run.all_work(k_ms);
    run.work(0, 5 * k_ms);
    run.large_reduce(0, 2 * k_ms);
  }
  EXPECT_EQ(ranks(run.report()), Ranks{0});
}

TEST(Verdicts, NobodyIsNamedForChance) {
  for (const int calls : {5, 200}) {
    std::mt19937 random(1);
    Played run(4);
    for (int i = 0; i < calls; ++i) {
      run.all_work(k_ms);
      run.work(random() % 4, 5 * k_ms);
      run.allreduce();
    }
    EXPECT_EQ(kind(run.report()), "moving_imbalance");
  }
}

/// The root leaves the reduction later, because the reduction takes time: not the work of any rank.
TEST(Verdicts, WhatACollectiveBeforeCausedIsNotLateness) {
  Played run(4);
  for (int i = 0; i < 200; ++i) {
    run.all_work(200 * k_us);
    run.reduce(0, 200 * k_us);
    run.bcast(0);
  }
  const Json report = run.report();
  EXPECT_EQ(kind(report), "nothing_wrong") << text(report);
  EXPECT_EQ(ranks(report), Ranks{});
}

TEST(Verdicts, ARunThatIsAllMpiIsNotCalledRight) {
  Played run(4);
  for (int i = 0; i < 200; ++i) {
    run.all_work(k_us);
    run.allreduce();
  }
  const Json report = run.report();
  EXPECT_EQ(kind(report), "mostly_transfer");
  EXPECT_EQ(text(report).find("Nothing is wrong"), std::string::npos);
}

}  // namespace
}  // namespace tutti::record::analysis
