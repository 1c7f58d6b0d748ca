// What is said of runs whose late ranks are known.

#include "record/analysis/verdicts.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "record/analysis/report.hpp"

namespace tutti::record::analysis {
namespace {

using algorithm::Collective;
using Json = nlohmann::json;

constexpr uint64_t k_ms = 1'000'000, k_us = 1'000, k_transfer = 20 * k_us;

/// A run of which all ranks leave a record, as if its calls took what MPI needs. Ranks have two nodes, on machines of
/// their own or on one.
class Played {
 public:
  explicit Played(uint32_t ranks, bool has_machines = true) : now_(ranks, k_ms), ranks_(ranks) {
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      RankDescription says{.run = 1,
                           .rank = rank,
                           .ranks = ranks,
                           .node = rank * 2 / ranks,
                           .nodes = 2,
                           .host = has_machines && rank * 2 / ranks == 1 ? "b" : "a",
                           .program = "/p",
                           .mpi = "MPI",
                           .began_ns = k_ms,
                           .ended_by = "MPI_Finalize"};
      says.places = {{.module = "/p", .function = "main", .offset = 16}};
      says.communicators = {{.name = "MPI_COMM_WORLD", .rank = rank}};
      for (uint32_t member = 0; member < ranks; ++member) says.communicators[0].members.push_back(member);
      ranks_[rank].says = std::move(says);
    }
  }

  void work(uint32_t rank, uint64_t ns) { now_[rank] += ns; }
  void all_work(uint64_t ns) {
    for (uint64_t& now : now_) now += ns;
  }

  void allreduce() {
    const uint64_t last = *std::ranges::max_element(now_);
    call(Collective::allreduce, [&](uint32_t) { return last + k_transfer; });
  }
  void reduce(uint32_t root, uint64_t cost = k_transfer) {
    const uint64_t last = *std::ranges::max_element(now_);
    call(
        Collective::reduce, [&](uint32_t rank) { return rank == root ? last + cost : now_[rank] + k_us; },
        root);
  }
  void large_reduce(uint32_t root, uint64_t cost) {
    const uint64_t last = *std::ranges::max_element(now_);
    call(
        Collective::reduce, [&](uint32_t) { return last + cost; }, root);
  }
  void bcast(uint32_t root) {
    const uint64_t ready = now_[root];
    call(
        Collective::bcast, [&](uint32_t rank) { return std::max(now_[rank], ready) + k_transfer; }, root);
  }
  /// Each has started its part, and computes before it waits; the MPI makes no progress meanwhile.
  void iallreduce(const std::vector<uint64_t>& computes) {
    uint64_t last = 0;
    for (uint32_t rank = 0; rank < now_.size(); ++rank) last = std::max(last, now_[rank] + computes[rank]);
    const uint32_t row = row_of(Collective::allreduce, select::CallKind::nonblocking);
    for (uint32_t rank = 0; rank < now_.size(); ++rank) {
      const uint64_t waits = now_[rank] + computes[rank], end = last + k_transfer;
      put(rank, {.row = row, .sequence = sequence_, .inside_ns = end - waits, .whole_ns = end - now_[rank]});
      now_[rank] = end;
    }
    ++sequence_;
  }
  /// Messages come from the neighbours in a ring, all at once.
  void halo() {
    const auto ranks = static_cast<uint32_t>(now_.size());
    const std::vector<uint64_t> sent = now_;
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      const uint32_t left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
      const uint64_t end = std::max({now_[rank], sent[left], sent[right]}) + k_transfer;
      for (const uint32_t peer : {left, right}) message(rank, peer, MessageCall::wait, end);
      now_[rank] = end;
    }
  }
  /// Two calls are under way at once, and one call waits for the end of both.
  void two_iallreduces(const std::vector<uint64_t>& computes) {
    const uint32_t row = row_of(Collective::allreduce, select::CallKind::nonblocking);
    uint64_t last = 0;
    for (uint32_t rank = 0; rank < now_.size(); ++rank) last = std::max(last, now_[rank] + computes[rank]);
    for (uint32_t rank = 0; rank < now_.size(); ++rank) {
      const uint64_t end = last + k_transfer, inside = end - now_[rank] - computes[rank];
      for (const uint32_t call : {0, 1})
        put(rank,
            {.row = row, .sequence = sequence_ + call, .inside_ns = inside, .whole_ns = end - now_[rank]});
      now_[rank] = end;
    }
    sequence_ += 2;
  }
  /// An MPI whose ranks make progress by pairs only: those that do not compute leave when all have started, but the
  /// partner of the one that computes, which leaves when that one waits.
  /// `calls` of them are under way at once, started one after the other.
  void iallreduce_of_pairs(uint32_t computing, uint32_t partner, uint64_t computes, uint32_t calls) {
    constexpr uint64_t k_next = 30 * k_us;
    for (uint64_t& now : now_) now += (calls - 1) * k_next;
    const uint64_t last = *std::ranges::max_element(now_), waits = now_[computing] + computes;
    const uint32_t row = row_of(Collective::allreduce, select::CallKind::nonblocking);
    for (uint32_t rank = 0; rank < now_.size(); ++rank) {
      const bool is_late = rank == computing || rank == partner;
      const uint64_t end = (is_late ? std::max(waits, last) : last) + k_transfer;
      now_[rank] -= (calls - 1) * k_next;
      for (uint32_t call = 0; call < calls; ++call, now_[rank] += k_next) {
        const uint64_t whole = end - now_[rank];
        put(rank, {.row = row,
                   .sequence = sequence_ + call,
                   .inside_ns = rank == computing ? end - waits : whole,
                   .whole_ns = whole});
      }
      now_[rank] = end;
    }
    sequence_ += calls;
  }
  void receive(uint32_t rank, uint32_t from) {
    const uint64_t end = std::max(now_[rank], now_[from]) + k_transfer;
    message(rank, from, MessageCall::receive, end);
    now_[rank] = end;
  }

  /// One of so many collective calls is recorded.
  void sample(uint32_t every) { every_ = every; }
  /// The oldest records of each rank are lost.
  void drop(size_t part_of_ten) {
    for (OfRank& rank : ranks_) {
      const size_t count = rank.records.size() * part_of_ten / 10;
      rank.records.erase(rank.records.begin(), rank.records.begin() + static_cast<ptrdiff_t>(count));
      rank.dropped = count;
    }
  }

  Json report() {
    const auto folder =
        std::filesystem::temp_directory_path() / ("tutti-verdicts-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    for (uint32_t rank = 0; rank < now_.size(); ++rank) {
      RankDescription& says = ranks_[rank].says;
      says.ended_ns = now_[rank];
      says.taken = ranks_[rank].records.size() + ranks_[rank].dropped;
      says.sampled_every = every_;
      says.rows = rows_;
      std::ofstream(folder / rank_file_name(rank), std::ios::binary) << rank_file(says, ranks_[rank].records);
    }
    const auto analysed = analyse(folder.string());
    EXPECT_TRUE(analysed) << analysed.status().message();
    std::filesystem::remove_all(folder);
    const Json report = report_json(*analysed, nullptr);
    check(*analysed, report);
    return report;
  }

 private:
  struct OfRank {
    RankDescription says;
    std::vector<PackedRecord> records;
    size_t dropped = 0;
  };

  /// Times add up, and what is advised is about the rank that the verdict names.
  static void check(const Analysis& of, const Json& report) {
    EXPECT_LE(of.caused_ns, of.waiting_ns);
    EXPECT_LE(of.waiting_ns + of.transfer_ns, of.rank_ns);
    for (const RankSums& rank : of.ranks) EXPECT_LE(rank.waiting_ns + rank.transfer_ns, rank.elapsed_ns);
    EXPECT_GT(of.without_lateness_ns(), 0u);
    const Json& verdict = report["verdicts"][0];
    for (const Json& sentence : report["what_to_do"]) {
      const auto text = sentence.get<std::string>();
      const size_t at = text.find("rank ");
      if (at == std::string::npos || !verdict.contains("rank")) continue;
      EXPECT_EQ(std::stoul(text.substr(at + 5)), verdict["rank"].get<size_t>()) << text;
    }
    EXPECT_EQ(report_line(report).find("for rank") != std::string::npos, verdict.contains("rank"));
  }

  uint32_t row_of(Collective collective, select::CallKind interface) {
    return row({.collective = collective, .interface = interface, .choice = "native"});
  }
  uint32_t row(const Row& of) {
    const auto found = std::ranges::find_if(rows_, [&](const Row& one) {
      return one.collective == of.collective && one.interface == of.interface && one.message == of.message;
    });
    const auto number = static_cast<uint32_t>(found - rows_.begin());
    if (number == rows_.size()) rows_.push_back(of);
    return number;
  }
  void put(uint32_t rank, CallRecord record) {
    if (rows_[record.row].message == MessageCall::none && record.sequence % every_ != 0) return;
    record.arrival_ns = now_[rank];
    ranks_[rank].records.push_back(PackedRecord::of(record));
  }
  void message(uint32_t rank, uint32_t peer, MessageCall call, uint64_t end) {
    const uint64_t ns = end - now_[rank];
    put(rank, {.row = row({.message = call}), .inside_ns = ns, .whole_ns = ns, .root = peer});
  }
  template <class End>
  void call(Collective collective, End end, uint32_t root = k_no_root) {
    std::vector<uint64_t> ends;
    const uint32_t row = row_of(collective, select::CallKind::blocking);
    for (uint32_t rank = 0; rank < now_.size(); ++rank) ends.push_back(end(rank));
    for (uint32_t rank = 0; rank < now_.size(); ++rank) {
      const uint64_t ns = ends[rank] - now_[rank];
      put(rank,
          {.row = row, .sequence = sequence_, .inside_ns = ns, .whole_ns = ns, .bytes = 8, .root = root});
      now_[rank] = ends[rank];
    }
    ++sequence_;
  }

  std::vector<uint64_t> now_;
  std::vector<OfRank> ranks_;
  std::vector<Row> rows_;
  uint32_t sequence_ = 0, every_ = 1;
};

std::string kind(const Json& report) {
  return report["verdicts"][0]["kind"];
}
std::string text(const Json& report) {
  return report["verdicts"][0]["text"];
}
std::vector<uint32_t> ranks(const Json& report) {
  const Json& verdict = report["verdicts"][0];
  auto named =
      verdict.contains("ranks") ? verdict["ranks"].get<std::vector<uint32_t>>() : std::vector<uint32_t>();
  std::ranges::sort(named);
  return named;
}
using Ranks = std::vector<uint32_t>;

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

/// What is said is the same as of a run of which all is recorded.
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

/// The root leaves the reduction later, which takes its time: nobody's work.
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
