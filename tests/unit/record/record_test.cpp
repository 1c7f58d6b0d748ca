// Tests what is recorded of calls, and what is read back.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>
#include <vector>

#include "record/clock_model.hpp"
#include "record/rank_file.hpp"
#include "record/recorder.hpp"
#include "record/run_files.hpp"

namespace tutti::record {
namespace {

TEST(Compact, IsExactWhereItMattersAndCloseElsewhere) {
  for (const uint64_t number : {uint64_t{0}, uint64_t{1}, (uint64_t{1} << 27) - 1})
    EXPECT_EQ(compact::unpack(compact::pack(number)), number);
  EXPECT_EQ(compact::unpack(compact::pack(UINT64_MAX)), UINT64_MAX);
  for (uint64_t number = 1; number < compact::k_most; number = number * 3 + 1) {
    const uint64_t back = compact::unpack(compact::pack(number));
    EXPECT_LE(back, number);
    EXPECT_LE(number - back, number >> 26) << number;
  }
  EXPECT_EQ(compact::unpack(compact::pack(UINT64_MAX - 1)), compact::k_most);
}

struct World {
  explicit World(const RecorderOptions& options, std::unique_ptr<LiveFile> file = nullptr)
      : recorder(Recorder::make(options, std::move(file), {.run = 7, .rank = 1, .ranks = 4}).value()) {
    const std::vector<int> members{0, 1, 2, 3};
    counter = recorder->communicators().add(1, members, 0, "MPI_COMM_WORLD");
  }
  CallTicket begin(uint64_t arrival_ns) {
    call.arrival_ns = arrival_ns;
    call.counter = counter;
    call.caller = reinterpret_cast<const void*>(&compact::pack);
    return recorder->begin(call);
  }
  void run(uint64_t arrival_ns) {
    const CallTicket ticket = begin(arrival_ns);
    recorder->end(call, ticket, {.inside_ns = 10, .whole_ns = 10, .bytes = 64, .root = 2});
  }
  std::unique_ptr<Recorder> recorder;
  OperationCounter* counter = nullptr;
  BegunCall call;
  RankDescription says;
};

TEST(Recorder, KeepsTheNewestOrTheOldest) {
  for (const bool keeps_newest : {true, false}) {
    World world({.bytes = 8 * sizeof(PackedRecord), .keeps_newest = keeps_newest});
    for (uint64_t i = 0; i < 20; ++i) world.run(1000 + i);
    const auto records = world.recorder->take(&world.says);
    ASSERT_EQ(records.size(), 8u);
    EXPECT_EQ(records.front().unpack().sequence, keeps_newest ? 12u : 0u);
    EXPECT_EQ(world.says.taken, 20u);
  }
}

TEST(Recorder, SamplesTheSameCallsOnAllRanks) {
  World world({.every = 5});
  for (uint64_t i = 0; i < 20; ++i) world.run(i);
  const auto records = world.recorder->take(&world.says);
  ASSERT_EQ(records.size(), 4u);
  for (size_t i = 0; i < records.size(); ++i) EXPECT_EQ(records[i].unpack().sequence, 5 * i);
}

TEST(Recorder, ACallUnderWayIsThereWithoutAnEnd) {
  World world({});
  world.run(5);
  world.begin(7);
  const auto records = world.recorder->take(&world.says);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[1].unpack().whole_ns, k_unknown_ns);
  EXPECT_LT(records[1].unpack().row, world.says.rows.size());
}

TEST(Recorder, ARefusedCallDoesNotCount) {
  World world({});
  const CallTicket ticket = world.begin(3);
  world.recorder->refused(world.call, ticket);
  world.run(4);
  const auto records = world.recorder->take(&world.says);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].unpack().sequence, 0u);
}

TEST(Recorder, WhatHasBeenOverwrittenIsNotCompleted) {
  World world({.bytes = 2 * sizeof(PackedRecord)});
  const CallTicket old = world.begin(1);
  world.recorder->end(world.call, old, {});
  for (uint64_t i = 2; i < 6; ++i) world.run(i);
  world.recorder->complete(old, 1, 99, 99);
  for (const PackedRecord& record : world.recorder->take(&world.says))
    EXPECT_EQ(record.unpack().whole_ns, 10u);
}

TEST(Recorder, ThreadsWriteAtOnce) {
  World world({});
  std::vector<std::thread> threads;
  const std::vector<int> members{0, 1};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      OperationCounter* const own = world.recorder->communicators().add(0, members, 7, "");
      for (uint64_t call = 0; call < 1000; ++call) {
        const BegunCall begun{.counter = own, .arrival_ns = call + 1};
        world.recorder->end(begun, world.recorder->begin(begun), {.inside_ns = 1, .whole_ns = 1});
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(world.recorder->take(&world.says).size(), 4000u);
  EXPECT_EQ(world.says.communicators.back().generation, 3u);
}

TEST(RankFile, WaitsForMessagesHaveTheirPeer) {
  World world({});
  world.run(5);
  world.recorder->message(
      {.call = MessageCall::exchange, .counter = world.counter, .peer = 3, .arrival_ns = 20, .inside_ns = 9});
  const auto records = world.recorder->take(&world.says);
  world.says.rank = 1;
  world.says.ranks = 4;
  const std::string file = rank_file(world.says, records);
  const auto beginning = parse_beginning(file);
  ASSERT_TRUE(beginning) << beginning.status().message();
  ASSERT_EQ(records.size(), 2u);
  const CallRecord record = records[1].unpack();
  EXPECT_EQ(beginning->description.rows[records[0].unpack().row].message, MessageCall::none);
  EXPECT_EQ(beginning->description.rows[record.row].message, MessageCall::exchange);
  EXPECT_EQ(record.root, 3u);
  EXPECT_EQ(record.inside_ns, 9u);
}

TEST(RankFile, IsReadBackAsItWasWritten) {
  World world({});
  for (uint64_t i = 0; i < 5; ++i) world.run(i);
  const auto records = world.recorder->take(&world.says);
  world.says.rank = 1;
  world.says.ranks = 4;
  world.says.host = "n\xff!";
  world.says.clock = {{.at_ns = 5, .offset_ns = -7, .error_ns = 3}};
  const std::string file = rank_file(world.says, records);
  const auto beginning = parse_beginning(file);
  ASSERT_TRUE(beginning) << beginning.status().message();
  EXPECT_EQ(beginning->description.records, 5u);
  EXPECT_EQ(beginning->description.clock[0].offset_ns, -7);
  EXPECT_EQ(beginning->description.communicators[0].members, (std::vector<uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(file.size(), beginning->records_at + 5 * sizeof(PackedRecord));
  for (size_t cut = 0; cut < beginning->records_at - 40; cut += 37)
    EXPECT_FALSE(parse_beginning(std::string_view(file).substr(0, cut))) << cut;
}

/// A folder for the record of rank 1.
struct Folder {
  Folder() : path(testing::TempDir() + "tutti_live_" + std::to_string(getpid())) {
    std::filesystem::remove_all(path);
    std::filesystem::create_directory(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::unique_ptr<LiveFile> file() const {
    return LiveFile::make((path / live_file_name(1)).string()).value();
  }
  std::filesystem::path path;
};

TEST(LiveFile, HasWhatWasRecordedWithoutAnEnd) {
  for (const uint64_t calls : {uint64_t{3}, uint64_t{20}, uint64_t{100'000}}) {
    const Folder folder;
    const uint64_t capacity = calls == 20 ? 8 : uint64_t{1} << 17;
    {
      World world({.bytes = capacity * sizeof(PackedRecord)}, folder.file());
      for (uint64_t i = 0; i < calls; ++i) world.run(1000 + 100 * i);
      world.begin(1000 + 100 * calls);
    }
    const auto run = open_run(folder.path.string());
    ASSERT_TRUE(run) << run.status().message();
    const RankOfRun& rank = run->first();
    EXPECT_TRUE(rank.is_live);
    EXPECT_EQ(rank.description.run, 7u);
    EXPECT_EQ(rank.description.ended_by, "");
    EXPECT_EQ(rank.description.communicators[0].members, (std::vector<uint32_t>{0, 1, 2, 3}));
    EXPECT_EQ(rank.description.ended_ns, 1000 + 100 * calls);
    RecordReader reader = rank.reader();
    CallRecord record;
    uint64_t seen = 0;
    uint32_t sequence = calls == 20 ? 13 : 0;  // of 21 the last 8
    for (; reader.next(&record); ++seen, ++sequence) {
      ASSERT_EQ(record.sequence, sequence);
      ASSERT_LT(record.row, rank.description.rows.size());
      ASSERT_EQ(record.inside_ns, sequence == calls ? k_unknown_ns : 10u);
    }
    EXPECT_EQ(seen, std::min(calls + 1, capacity));
    EXPECT_NE(rank.description.places[rank.description.rows[record.row].place].module, "");
  }
}

TEST(LiveFile, GivesItsPlaceToTheWholeFile) {
  const Folder folder;
  World world({}, folder.file());
  EXPECT_TRUE(has_record(folder.path.string()));
  world.run(5);
  EXPECT_EQ(world.recorder->take(&world.says).size(), 1u);
  world.recorder->remove_file();
  EXPECT_FALSE(has_record(folder.path.string()));
  world.run(6);  // what comes later finds its memory
}

TEST(LiveFile, IsMemoryWhereFilesMayNotBeThatLarge) {
  const Folder folder;
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{.rlim_cur = 1000, .rlim_max = before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  World world({}, folder.file());
  for (uint64_t i = 0; i < 100; ++i) world.run(1000 + i);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(world.recorder->take(&world.says).size(), 100u);
  EXPECT_FALSE(has_record(folder.path.string()));
}

TEST(LiveFile, LosesNothingWhenTheProgramClosesItsDescriptor) {
  const Folder folder;
  World world({.bytes = (uint64_t{1} << 17) * sizeof(PackedRecord)}, folder.file());
  const std::string other = (folder.path / "other").string();
  std::vector<int> taken;
  for (int fd = 3; fd < 100; ++fd) close(fd);
  for (int i = 0; i < 100; ++i) taken.push_back(open(other.c_str(), O_RDWR | O_CREAT, 0600));
  for (uint64_t i = 0; i < 100'000; ++i) world.run(1000 + i);
  world.recorder->communicators().add(0, std::vector<int>{1, 2}, 1, "later");
  for (const int fd : taken) close(fd);
  EXPECT_EQ(std::filesystem::file_size(other), 0u) << "nothing is written into the program's file";
  EXPECT_EQ(world.recorder->take(&world.says).size(), 100'000u);
}

TEST(ClockModel, IsWithinItsBoundBetweenComparisons) {
  // A clock that began 3 s behind and gains 20 parts in a million.
  const auto offset = [](uint64_t at) { return int64_t{3'000'000'000} - static_cast<int64_t>(at / 50'000); };
  std::vector<ClockSample> samples;
  for (const uint64_t at : {uint64_t{1'000'000'000}, uint64_t{61'000'000'000}})
    samples.push_back({.at_ns = at, .offset_ns = offset(at) + 400, .error_ns = 500});
  const ClockModel clock(samples, false);
  for (uint64_t at = 0; at < 70'000'000'000; at += 3'333'333'333) {
    const int64_t truth = static_cast<int64_t>(at) + offset(at);
    EXPECT_LE(std::abs(clock.at(at) - truth), static_cast<int64_t>(clock.error_ns(at)) + 1) << at;
  }
  EXPECT_EQ(ClockModel({}, false).error_ns(5), k_unknown_ns);
  EXPECT_EQ(ClockModel(samples, true).error_ns(5), 0u);
}

}  // namespace
}  // namespace tutti::record
