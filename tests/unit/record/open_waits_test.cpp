// Tests verdicts on ranks that wait outside collectives, and on runs that did not end normally.

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "record/analysis/report.hpp"
#include "record/recorder.hpp"
#include "record/run_files.hpp"

namespace tutti::record::analysis::open_waits {
namespace {

using algorithm::Collective;
using select::CallInterface;
using Json = nlohmann::json;

constexpr uint64_t k_ms = 1'000'000, k_second = 1000 * k_ms, k_begin = k_ms, k_end = 10 * k_second;

/// A run that ends as it is told.
class Ending {
 public:
  explicit Ending(const std::string& ended_by, const std::string& mpi = "MPICH", uint32_t ranks = 4)
      : says_(ranks), records_(ranks) {
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      RankDescription& says = says_[rank];
      says = {.run = 1, .rank = rank, .ranks = ranks, .host = "a", .program = "/p", .mpi = mpi};
      says.began_ns = k_begin;
      says.ended_ns = k_end;
      says.ended_by = ended_by;
      says.places = {{.module = "/p", .function = "main", .offset = 16}};
      says.communicators = {{.name = "MPI_COMM_WORLD", .rank = rank}};
      for (uint32_t member = 0; member < ranks; ++member) says.communicators[0].members.push_back(member);
    }
  }
  RankDescription& rank(uint32_t rank) { return says_[rank]; }

  void collective(uint32_t rank, Collective collective, uint32_t sequence, uint64_t arrival_ns,
                  uint64_t inside_ns = k_unknown_ns, CallInterface interface = CallInterface::blocking) {
    put(rank, {.collective = collective, .interface = interface, .choice = "native"},
        {.arrival_ns = arrival_ns, .sequence = sequence, .inside_ns = inside_ns, .whole_ns = inside_ns});
  }
  void wait(uint32_t rank, MessageCall call, const std::string& name, uint64_t arrival_ns,
            uint32_t peer = k_no_root, uint64_t inside_ns = k_unknown_ns) {
    put(rank, {.message = call, .choice = name},
        {.arrival_ns = arrival_ns, .inside_ns = inside_ns, .whole_ns = inside_ns, .root = peer});
  }
  /// All ranks meet in one call at the beginning.
  void meet() {
    for (uint32_t rank = 0; rank < says_.size(); ++rank)
      collective(rank, Collective::allreduce, 0, 2 * k_ms, k_ms);
  }

  Json report(const std::optional<LauncherEnd>& launcher = {}) {
    const auto folder =
        std::filesystem::temp_directory_path() / ("tutti-endings-" + std::to_string(getpid()));
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    for (uint32_t rank = 0; rank < says_.size(); ++rank) {
      says_[rank].taken = records_[rank].size();
      says_[rank].rows = rows_;
      std::ofstream(folder / rank_file_name(rank), std::ios::binary)
          << rank_file(says_[rank], records_[rank]);
    }
    if (launcher) {
      EXPECT_TRUE(write_launcher_end(folder.string(), *launcher));
    }
    const auto analysed = analyse(folder.string());
    EXPECT_TRUE(analysed) << analysed.status().message();
    std::filesystem::remove_all(folder);
    return report_json(*analysed, nullptr);
  }

 private:
  void put(uint32_t rank, const Row& row, CallRecord record) {
    record.row = static_cast<uint32_t>(rows_.size());
    rows_.push_back(row);
    records_[rank].push_back(PackedRecord::of(record));
  }

  std::vector<RankDescription> says_;
  std::vector<std::vector<PackedRecord>> records_;
  std::vector<Row> rows_;
};

std::string text(const Json& report, size_t sentence = 0) {
  const Json& all = report["what_to_do"];
  return sentence < all.size() ? all[sentence].get<std::string>() : std::string();
}
double waiting_part(const Json& report) {
  return report["totals"]["waiting_ns"].get<double>() / report["totals"]["rank_ns"].get<double>();
}
bool has(const std::string& whole, const std::string& part) {
  return whole.find(part) != std::string::npos;
}

TEST(OpenWaits, ACircleOfReceivesHangs) {
  Ending run("SIGTERM");
  run.meet();
  for (uint32_t rank = 0; rank < 4; ++rank)
    run.wait(rank, MessageCall::receive, "MPI_Recv", k_second, (rank + 3) % 4);
  const Json report = run.report(LauncherEnd{.interruption = SIGTERM, .host = "b"});
  EXPECT_TRUE(has(text(report), "hung: no call began or ended in the last 9.00 s")) << text(report);
  EXPECT_TRUE(has(text(report), "rank 0 sat in MPI_Recv from rank 3")) << text(report);
  EXPECT_TRUE(
      has(text(report, 1), "The ranks 0-3 wait for each other in a circle (0 for 3 for 2 for 1 for 0)"))
      << text(report, 1);
  EXPECT_GT(waiting_part(report), 0.85);
}

/// The launcher's clock is not theirs.
TEST(Endings, RanksOfOtherHostsHaveRunAsLongAsTheLauncher) {
  const auto folder = std::filesystem::temp_directory_path() / ("tutti-hosts-" + std::to_string(getpid()));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  {
    RankDescription says{.host = "n1", .started_unix_s = 1'000'000, .began_ns = 77 * k_second};
    auto file = LiveFile::make((folder / live_file_name(0)).string());
    ASSERT_TRUE(file);
    says.ended_ns = says.began_ns;
    const auto recorder = Recorder::make({}, std::move(*file), says).value();
  }
  for (const auto& [ran_s, expected_s] : {std::pair{uint64_t{9}, 8}, {uint64_t{5}, 5}, {uint64_t{0}, 0}}) {
    ASSERT_TRUE(write_launcher_end(
        folder.string(),
        {.host = "n0", .at_ns = k_second, .ran_ns = ran_s * k_second, .at_unix_s = 1'000'008}));
    const auto run = open_run(folder.string());
    ASSERT_TRUE(run) << run.status().message();
    EXPECT_EQ(run->first().description.ended_ns, (77 + static_cast<uint64_t>(expected_s)) * k_second);
  }
  std::filesystem::remove_all(folder);
}

/// The rest of a file whose writer was killed by SIGKILL.
TEST(RunFiles, WhatWasHalfWrittenGoes) {
  const auto folder = std::filesystem::temp_directory_path() / ("tutti-half-" + std::to_string(getpid()));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  for (const char* name :
       {"calls.0.rec.246982089.tmp", "calls.12.rec.1.tmp", "calls.0.rec", "calls.1.live", "mine.tmp"})
    std::ofstream(folder / name) << "x";
  remove_half_written(folder.string());
  size_t left = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) left += entry.exists() ? 1 : 0;
  EXPECT_EQ(left, 3u);
  std::filesystem::remove_all(folder);
}

TEST(OpenWaits, OfManyRanksTheCallIsNamed) {
  Ending run("SIGTERM");
  run.meet();
  for (uint32_t rank = 0; rank < 3; ++rank) run.wait(rank, MessageCall::wait, "MPI_Waitall", k_second, 3);
  const Json report = run.report(LauncherEnd{.interruption = SIGTERM, .host = "b"});
  EXPECT_TRUE(
      has(text(report), "ranks 0-2 sat in MPI_Waitall for a message of rank 3, rank 3 in no MPI call"))
      << text(report);
  EXPECT_TRUE(has(text(report, 1), "Find out what keeps rank 3")) << text(report, 1);
}

TEST(OpenWaits, AWaitForACollectiveSaysWhichAndWhoIsMissing) {
  Ending run("SIGTERM");
  run.meet();
  for (const uint32_t rank : {0, 2, 3}) {
    run.collective(rank, Collective::barrier, 1, k_second, k_unknown_ns, CallInterface::nonblocking);
    run.wait(rank, MessageCall::wait, "MPI_Wait", k_second + k_ms);
  }
  const Json report = run.report(LauncherEnd{.interruption = SIGTERM, .host = "b"});
  EXPECT_TRUE(has(text(report), "hung: ")) << text(report);
  EXPECT_TRUE(has(text(report), "ranks 0, 2, 3 sat in MPI_Wait for ibarrier in main")) << text(report);
  EXPECT_TRUE(has(text(report, 1), "what keeps rank 1 from MPI_Wait for ibarrier")) << text(report, 1);
  EXPECT_GT(waiting_part(report), 0.6);
}

/// Waiting of the sites, of messages, and in total.
void expect_sums(const Json& report) {
  uint64_t sites_ns = 0;
  for (const Json& site : report["sites"]) sites_ns += site["waiting_ns"].get<uint64_t>();
  const uint64_t messages_ns = report["totals"]["messages_waiting_ns"];
  EXPECT_EQ(sites_ns + messages_ns, report["totals"]["waiting_ns"].get<uint64_t>());
  EXPECT_LE(messages_ns, report["totals"]["messages_ns"].get<uint64_t>());
}

TEST(OpenWaits, WhatTheyTakeIsInTheSums) {
  Ending run("SIGTERM");
  run.meet();
  run.wait(0, MessageCall::receive, "MPI_Recv", k_second, 1);
  run.wait(1, MessageCall::other, "MPI_Win_fence", k_second);
  run.collective(2, Collective::barrier, 1, k_second);
  const Json report = run.report(LauncherEnd{.interruption = SIGTERM, .host = "b"});
  expect_sums(report);
  EXPECT_NEAR(report["totals"]["messages_waiting_ns"].get<double>(), 18e9, 1e8);
}

TEST(OpenWaits, AWaitForACollectiveBelongsToItsSite) {
  Ending run("SIGTERM");
  run.meet();
  for (const uint32_t rank : {0, 2, 3}) {
    run.collective(rank, Collective::barrier, 1, k_second, k_unknown_ns, CallInterface::nonblocking);
    run.wait(rank, MessageCall::wait, "MPI_Wait", k_second + k_ms);
  }
  run.wait(1, MessageCall::receive, "MPI_Recv", k_second, 0);
  const Json report = run.report(LauncherEnd{.interruption = SIGTERM, .host = "b"});
  expect_sums(report);
  EXPECT_EQ(report["sites"][0]["collective"], "barrier");
  EXPECT_NEAR(report["sites"][0]["waiting_ns"].get<double>(), 27e9, 1e8);
  EXPECT_TRUE(has(text(report, 1), "what keeps rank 1 from MPI_Wait for ibarrier")) << text(report, 1);
  EXPECT_TRUE(has(text(report, 1), ": it sits in MPI_Recv from rank 0.")) << text(report, 1);
}

TEST(HungAdvice, TheCallToWhichMostHaveComeIsTheRightOne) {
  for (const char* call : {"MPI_Win_fence", "MPI_Comm_dup", "MPI_File_write_at_all"}) {
    Ending run("SIGTERM");
    run.meet();
    for (const uint32_t rank : {0, 1, 3}) run.wait(rank, MessageCall::other, call, k_second);
    run.collective(2, Collective::barrier, 1, k_second);
    const Json report = run.report(LauncherEnd{.interruption = SIGTERM, .host = "b"});
    EXPECT_TRUE(has(text(report, 1), std::string("what keeps rank 2 from ") + call + ": it sits in barrier"))
        << text(report, 1);
  }
}

TEST(HungAdvice, ARankThatDoesNotComeToACallOfAll) {
  Ending run("SIGTERM");
  run.meet();
  for (const uint32_t rank : {0, 2, 3}) run.wait(rank, MessageCall::other, "MPI_Comm_dup", k_second);
  const Json report = run.report(LauncherEnd{.interruption = SIGTERM, .host = "b"});
  EXPECT_TRUE(has(text(report, 1), "Find out what keeps rank 1 from MPI_Comm_dup.")) << text(report, 1);
}

TEST(HungAdvice, TheRankForWhoseMessagesOthersWait) {
  Ending run("SIGTERM");
  run.meet();
  for (const auto& [rank, peers] : {std::pair<uint32_t, std::vector<uint32_t>>{0, {2, 3}}, {1, {3}}})
    for (const uint32_t peer : peers) run.wait(rank, MessageCall::wait, "MPI_Waitall", k_second, peer);
  for (const uint32_t rank : {2, 3}) run.collective(rank, Collective::barrier, 1, k_second);
  const Json report = run.report(LauncherEnd{.interruption = SIGTERM, .host = "b"});
  EXPECT_TRUE(has(text(report, 1), "what keeps rank 3 from its messages with ranks 0, 1: it sits in barrier"))
      << text(report, 1);
}

TEST(HungAdvice, ARankThatHasComeToFinalize) {
  Ending run("SIGTERM");
  run.meet();
  for (const uint32_t rank : {0, 1, 3}) run.collective(rank, Collective::barrier, 1, k_second);
  run.rank(2).ended_by = "MPI_Finalize";
  run.rank(2).ended_ns = k_second;
  const Json report = run.report(LauncherEnd{.interruption = SIGTERM, .host = "b"});
  EXPECT_TRUE(has(text(report), "rank 2 in MPI_Finalize")) << text(report);
  EXPECT_TRUE(has(text(report, 1), "what keeps rank 2 from barrier in main")) << text(report, 1);
  EXPECT_TRUE(has(text(report, 1), ": it is in MPI_Finalize.")) << text(report, 1);
}

TEST(HungAdvice, AMessageThatWasNotSent) {
  Ending run("SIGTERM");
  run.meet();
  for (const auto& [rank, peer] : {std::pair{0, 1}, {1, 2}, {2, 3}})
    run.wait(static_cast<uint32_t>(rank), MessageCall::receive, "MPI_Recv", k_second,
             static_cast<uint32_t>(peer));
  run.wait(3, MessageCall::other, "MPI_Mrecv", k_second);
  const Json report = run.report(LauncherEnd{.interruption = SIGTERM, .host = "b"});
  EXPECT_TRUE(has(text(report, 1), "whether what rank 0 waits for in MPI_Recv from rank 1"))
      << text(report, 1);
}

TEST(OpenWaits, TestsThatGoOnUntilTheEndHang) {
  Ending run("SIGTERM");
  run.meet();
  for (uint32_t rank = 0; rank < 3; ++rank) run.collective(rank, Collective::barrier, 1, k_second);
  for (uint64_t at = k_second; at < k_end; at += 100 * k_ms)
    run.wait(3, MessageCall::poll, "MPI_Test", at, k_no_root, 100 * k_ms);
  const Json report = run.report(LauncherEnd{.interruption = SIGTERM, .host = "b"});
  EXPECT_TRUE(has(text(report), "hung: ")) << text(report);
  EXPECT_TRUE(has(text(report), "rank 3 sat in tests with MPI_Test")) << text(report);
}

TEST(Endings, CallsThatDoNotMatchAreCalledSo) {
  Ending run("SIGTERM");
  run.meet();
  for (const uint32_t rank : {0, 1, 3}) run.collective(rank, Collective::barrier, 1, k_second);
  run.collective(2, Collective::bcast, 1, k_second);
  const Json report = run.report(LauncherEnd{.interruption = SIGTERM, .host = "b"});
  EXPECT_TRUE(has(text(report), "rank 2 called bcast in main")) << text(report);
  EXPECT_TRUE(has(text(report), "ranks 0, 1, 3 called barrier in main")) << text(report);
  EXPECT_TRUE(has(text(report), "the program's calls do not match")) << text(report);
  EXPECT_FALSE(has(text(report, 1), "TUTTI=0"));
}

/// A rank that has passed the wrong call, as roots do, has called it nevertheless.
TEST(Endings, TheWrongCallMayHaveEnded) {
  Ending run("SIGTERM");
  run.meet();
  for (const uint32_t rank : {0, 1, 3}) run.collective(rank, Collective::barrier, 1, k_second);
  run.collective(2, Collective::bcast, 1, k_second, k_ms);
  EXPECT_TRUE(has(text(run.report(LauncherEnd{.interruption = SIGTERM, .host = "b"})), "do not match"));
}

TEST(Endings, ARootThatIsOneCallBehindIsNoMismatch) {
  Ending run("SIGTERM");
  run.meet();
  run.collective(0, Collective::reduce, 1, k_second);
  for (const uint32_t rank : {1, 2}) {
    run.collective(rank, Collective::reduce, 1, k_second, k_ms);
    run.collective(rank, Collective::barrier, 2, 2 * k_second);
  }
  const Json report = run.report(LauncherEnd{.interruption = SIGTERM, .host = "b"});
  EXPECT_FALSE(has(text(report), "do not match")) << text(report);
  EXPECT_TRUE(has(text(report, 1), "what keeps rank 3")) << text(report, 1);
}

TEST(Endings, WhoHasGotSigtermComesBeforeThoseThatLeftNoWord) {
  Ending run("");
  run.meet();
  run.rank(2).ended_by = "SIGTERM";
  for (const uint32_t rank : {0, 1, 3})
    run.collective(rank, Collective::barrier, 1, 9 * k_second + 900 * k_ms);
  const Json report = run.report(LauncherEnd{.exit_status = SIGTERM, .host = "b"});
  EXPECT_TRUE(has(text(report), "did not finish: rank 2 ended by SIGTERM")) << text(report);
}

TEST(Endings, ASmallStatusOfOpenMpiIsNoSignal) {
  for (const bool is_open_mpi : {true, false}) {
    Ending run("", is_open_mpi ? "Open MPI v4.1.4" : "MPICH Version: 4.0.2");
    run.meet();
    for (const uint32_t rank : {0, 1, 3}) run.collective(rank, Collective::barrier, 1, 9 * k_second);
    const Json report = run.report(LauncherEnd{.exit_status = 15, .host = "b"});
    EXPECT_EQ(has(text(report), "signal 15"), !is_open_mpi) << text(report);
    EXPECT_EQ(has(text(report), "rank 2 ended by an error of the MPI"), is_open_mpi) << text(report);
  }
}

/// The awaited ranks come first, and no rank is named for noise.
TEST(Endings, TheOneThatIsWaitedForWasKilledFirst) {
  Ending run("");
  for (uint32_t i = 0; i < 6; ++i)
    for (uint32_t rank = 0; rank < 4; ++rank) {
      const uint64_t end_ns = (100 + 100 * i) * k_ms, late_ns = rank == 1 ? 70 * k_ms : 20 * k_ms;
      run.collective(rank, Collective::allreduce, i, end_ns - 80 * k_ms + late_ns, 80 * k_ms - late_ns);
    }
  for (const uint32_t rank : {0, 1, 3}) run.collective(rank, Collective::barrier, 6, 700 * k_ms);
  for (uint32_t rank = 0; rank < 4; ++rank) run.rank(rank).ended_ns = 1200 * k_ms;
  const Json report = run.report(LauncherEnd{.exit_status = SIGKILL, .host = "b"});
  EXPECT_TRUE(has(text(report), "did not finish: ")) << text(report);
  EXPECT_EQ(report["verdicts"].size(), 1u) << report["verdicts"].dump();
}

TEST(Endings, OfTwoRanksTheOneInNoCallWasFirst) {
  Ending run("", "MPICH", 2);
  run.meet();
  run.collective(0, Collective::allreduce, 1, 9 * k_second + 900 * k_ms);
  const Json report = run.report(LauncherEnd{.exit_status = SIGKILL, .host = "b"});
  EXPECT_TRUE(has(text(report), "did not finish: rank 1 killed, or crashed, then rank 0")) << text(report);
}

/// Of Open MPI: most ranks get SIGTERM in the call and say so; rank 2 in the same call does not come to that.
TEST(Endings, WhoSatWithOthersWasNotFirst) {
  Ending run("SIGTERM", "Open MPI v4.1.4");
  run.meet();
  for (const uint32_t rank : {2, 3}) run.rank(rank).ended_by.clear();
  for (const uint32_t rank : {0, 1, 2})
    run.collective(rank, Collective::allreduce, 1, 9 * k_second + 900 * k_ms);
  const Json report = run.report(LauncherEnd{.exit_status = 128 + SIGKILL, .host = "b"});
  EXPECT_TRUE(has(text(report), "did not finish: rank 3 killed, or crashed, then rank 2")) << text(report);
}

/// Neighbours in a ring exchange messages. Ranks 3 and 5 wait for 4; the others have got what these had sent, and work.
TEST(Endings, WhoWentOnAfterOthersBeganToWaitWasNotFirst) {
  constexpr uint64_t k_step = 5 * k_ms;
  for (const bool has_gone_on : {true, false}) {
    Ending run("", "MPICH", 6);
    for (uint64_t step = 1; step <= 10; ++step)
      for (uint32_t rank = 0; rank < 6; ++rank)
        for (const uint32_t peer : {(rank + 5) % 6, (rank + 1) % 6})
          run.wait(rank, MessageCall::wait, "MPI_Waitall", k_second + step * k_step, peer, 20'000);
    const uint64_t last = k_second + 11 * k_step;
    for (const uint32_t rank : {3, 5})
      for (const uint32_t peer : {rank - 1, (rank + 1) % 6})
        run.wait(rank, MessageCall::wait, "MPI_Waitall", last, peer);
    if (has_gone_on)
      for (const uint32_t rank : {0, 1, 2}) run.wait(rank, MessageCall::wait, "MPI_Waitall", last, 1, 20'000);
    for (uint32_t rank = 0; rank < 6; ++rank) run.rank(rank).ended_ns = last + k_step;
    const std::string said = text(run.report(LauncherEnd{.exit_status = SIGKILL, .host = "b"}));
    EXPECT_TRUE(has(said, has_gone_on ? "did not finish: rank 4 killed, or crashed, then ranks 0-3, 5"
                                      : "did not finish: ranks 0-5 killed, or crashed (it cannot be told"))
        << said;
  }
}

/// Others wait for the late rank in calls that are no collectives.
TEST(OtherCalls, ALateRankIsFoundThroughThem) {
  Ending run("MPI_Finalize");
  uint64_t now = 10 * k_ms;
  for (int i = 0; i < 60; ++i, now += 31 * k_ms)
    for (uint32_t rank = 0; rank < 4; ++rank) {
      const uint64_t work = rank == 2 ? 30 * k_ms : 10 * k_ms;
      run.wait(rank, MessageCall::other, "MPI_Win_fence", now + work, k_no_root, 31 * k_ms - work);
    }
  for (uint32_t rank = 0; rank < 4; ++rank) run.rank(rank).ended_ns = now;
  const Json report = run.report();
  EXPECT_EQ(report["verdicts"][0]["kind"], "slow_rank") << text(report);
  EXPECT_EQ(report["verdicts"][0]["rank"], 2);
}

TEST(OtherCalls, WhatNobodyKnowsIsSaid) {
  for (const MessageCall call : {MessageCall::poll, MessageCall::wait}) {
    Ending run("MPI_Finalize");
    uint64_t now = 10 * k_ms;
    for (int i = 0; i < 60; ++i, now += 30 * k_ms)
      for (uint32_t rank = 0; rank < 4; ++rank)
        run.wait(rank, call, "MPI_Testall", now + 10 * k_ms, k_no_root, 20 * k_ms);
    for (uint32_t rank = 0; rank < 4; ++rank) run.rank(rank).ended_ns = now;
    const Json report = run.report();
    EXPECT_EQ(report["verdicts"][0]["kind"], "cannot_tell") << text(report);
    EXPECT_TRUE(has(text(report), "MPI_Testall")) << text(report);
    EXPECT_FALSE(has(text(report), "Nothing is wrong")) << text(report);
  }
}

TEST(Recorder, CallsInWhichThreadsAreHaveNoEnd) {
  const auto folder = std::filesystem::temp_directory_path() / ("tutti-open-" + std::to_string(getpid()));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  RankDescription says{.rank = 1, .ranks = 4};
  auto file = LiveFile::make((folder / live_file_name(1)).string());
  ASSERT_TRUE(file);
  const auto recorder = Recorder::make({}, std::move(*file), says).value();
  const std::vector<int> members{0, 1, 2, 3};
  const OperationCounter* const counter = recorder->communicators().add(1, members, 0, "");
  const std::string name = "MPI_Recv";
  const Recorder::Message message{
      .call = MessageCall::receive, .counter = counter, .peer = 3, .arrival_ns = 20, .name = &name};
  std::vector<size_t> open;
  for (int i = 0; i < 100; ++i) open.push_back(recorder->open(message));
  EXPECT_EQ(open.back(), Recorder::k_not_open);  // there is room for some
  for (size_t i = 1; i < open.size(); ++i) recorder->close(open[i]);
  const auto run = open_run(folder.string());
  ASSERT_TRUE(run) << run.status().message();
  RecordReader reader = run->first().reader();
  CallRecord record;
  ASSERT_TRUE(reader.next(&record));
  EXPECT_EQ(record.inside_ns, k_unknown_ns);
  EXPECT_EQ(record.root, 3u);
  EXPECT_EQ(run->first().description.rows[record.row].choice, "MPI_Recv");
  EXPECT_FALSE(reader.next(&record));
  EXPECT_EQ(recorder->take(&says).size(), 1u);
  recorder->close(open[0]);
  EXPECT_EQ(recorder->take(&says).size(), 0u);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tutti::record::analysis::open_waits
