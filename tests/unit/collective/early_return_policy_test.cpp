// Blocking calls that return before their data is there: which ones do, the same on all ranks, and for how long.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "algorithm/parts_in_access_order.hpp"
#include "collective/access_order_learner.hpp"
#include "tests/unit/collective/ranks.hpp"

namespace tutti::collective {
namespace {

using algorithm::Collective;
using algorithm::Request;
using select::CallInterface;

constexpr int k_early_world = 4;
constexpr uint64_t k_least = 64 << 10;
constexpr uint64_t k_cheap_ns = 1'000, k_dear_ns = 20'000'000;

enum class Served : uint8_t { early, waiting, natively };

topology::Topology two_early_nodes() {
  return topology::Topology::from_node_of_rank(std::array<int32_t, k_early_world>{0, 0, 1, 1}).value();
}

Options early_options(Options::Tuning tuning) {
  return {.tuning = tuning, .tuning_budget_permille = 1000, .least_early_bytes = k_least};
}

Request alltoall(uint64_t bytes) {
  Request request{.collective = Collective::alltoall, .rank_count = k_early_world};
  request.blocks.uniform_bytes = request.receive_blocks.uniform_bytes = bytes;
  return request;
}

Served served_by(const PreparedCall& prepared) {
  if (prepared.is_native()) return Served::natively;
  return prepared.execution.returns_early ? Served::early : Served::waiting;
}

/// One rank of a program of alltoalls. What a call costs depends on how it is served alone.
std::vector<Served> calls_of_rank(transport::LoopbackFabric& fabric, int rank, bool is_early_cheap,
                                  int calls) {
  std::vector<Served> ways;
  test::RankOfAll one(fabric, rank, two_early_nodes(), early_options(Options::Tuning::on));
  one.dispatcher.agree_on_node_bytes(0, 0);
  const Request request = alltoall(1 << 20);
  for (int call = 0; call < calls; ++call) {
    EXPECT_FALSE(one.dispatcher.goes_native(Collective::alltoall, 1 << 20, true, CallInterface::blocking));
    const DispatchedCall dispatched = one.dispatcher.prepare(request, CallInterface::blocking);
    ways.push_back(served_by(dispatched.prepared));
    const bool is_cheap = (ways.back() == Served::early) == is_early_cheap;
    if (dispatched.is_trial())
      dispatched.site->end(*dispatched.served_call, {.start_ns = is_cheap ? k_cheap_ns : k_dear_ns});
    CallEvent event{
        .collective = Collective::alltoall, .bytes = 1 << 20, .bytes_known = true, .dispatched = &dispatched};
    if (ways.back() == Served::natively) one.dispatcher.on_native_completed(event, true);
    std::this_thread::sleep_for(std::chrono::microseconds(100));  // by which trials are earned
  }
  while (one.process.has_agreements()) one.process.drive_agreements();
  return ways;
}

/// The same on all ranks.
std::vector<Served> calls_of_all(bool is_early_cheap, int calls) {
  transport::LoopbackFabric fabric(std::array<int32_t, k_early_world>{0, 0, 1, 1});
  std::array<std::vector<Served>, k_early_world> ways;
  test::on_all_ranks(k_early_world, [&](int rank) {
    ways[static_cast<size_t>(rank)] = calls_of_rank(fabric, rank, is_early_cheap, calls);
  });
  for (const auto& of_rank : ways) EXPECT_EQ(of_rank, ways[0]);
  EXPECT_EQ(fabric.waiting_count(), 0u);
  return ways[0];
}

TEST(Early, ASiteStaysWithCallsThatWait) {
  const std::vector<Served> ways = calls_of_all(false, 400);
  EXPECT_GT(std::ranges::count(ways, Served::early), 0) << "it is tried";
  EXPECT_LT(std::count(ways.end() - 50, ways.end(), Served::early), 10);
}

TEST(Early, ASiteThatWinsReturnsEarly) {
  const std::vector<Served> ways = calls_of_all(true, 400);
  EXPECT_GT(std::count(ways.end() - 50, ways.end(), Served::early), 40);
  EXPECT_NE(ways.front(), Served::early) << "the rules come first";
}

/// One rank of a program of which this rank uses the results in that order; what served each call.
std::vector<std::string> choices_of_rank(transport::LoopbackFabric& fabric, int rank,
                                         pattern::AccessOrder order, int calls) {
  std::vector<std::string> choices;
  test::RankOfAll one(fabric, rank, two_early_nodes(), early_options(Options::Tuning::off));
  one.dispatcher.agree_on_node_bytes(0, 0);
  for (int call = 0; call < calls; ++call) {
    const PreparedCall prepared = one.dispatcher.prepare(alltoall(1 << 20), CallInterface::blocking).prepared;
    choices.push_back(prepared.line->choice + (prepared.recorder == nullptr ? "" : " traced"));
    if (prepared.recorder == nullptr) continue;
    select::AccessRecord record{.transfer_ns = k_dear_ns, .first_use_ns = {}};
    record.first_use_ns.resize(algorithm::part_count(k_early_world));
    uint64_t now_ns = 0;
    for (const uint32_t part : order.sequence(algorithm::part_count(k_early_world)))
      record.first_use_ns[part] = now_ns += k_dear_ns / algorithm::part_count(k_early_world);
    prepared.recorder->set(std::move(record));
  }
  while (one.process.has_agreements()) one.process.drive_agreements();
  return choices;
}

/// The same on all ranks.
std::vector<std::string> choices_of_all(std::array<pattern::AccessOrder, k_early_world> orders, int calls) {
  transport::LoopbackFabric fabric(std::array<int32_t, k_early_world>{0, 0, 1, 1});
  std::array<std::vector<std::string>, k_early_world> choices;
  test::on_all_ranks(k_early_world, [&](int rank) {
    const auto mine = static_cast<size_t>(rank);
    choices[mine] = choices_of_rank(fabric, rank, orders[mine], calls);
  });
  for (const auto& of_rank : choices) EXPECT_EQ(of_rank, choices[0]);
  EXPECT_EQ(fabric.waiting_count(), 0u);
  return choices[0];
}

TEST(Early, TheOrderOfUsesIsLearned) {
  const pattern::AccessOrder backward{.is_backward = true};
  const auto choices = choices_of_all({backward, backward, backward, backward}, 10);
  EXPECT_EQ(choices[0], "ordered@early traced");
  EXPECT_EQ(choices[1], "ordered@early");
  EXPECT_EQ(choices[2], "ordered:direction=backward@early");
  EXPECT_EQ(choices[6], "ordered:direction=backward@early");
  EXPECT_EQ(choices[7], "ordered:direction=backward@early traced");
  EXPECT_EQ(choices[9], "ordered:direction=backward@early");
}

TEST(Early, RanksThatUseResultsDifferentlyKeepTheOrder) {
  const pattern::AccessOrder forward{}, backward{.is_backward = true};
  EXPECT_EQ(choices_of_all({forward, backward, forward, backward}, 4)[2], "ordered@early");
}

TEST(Early, WhoTracesWaitsInAllCalls) {
  Options options = early_options(Options::Tuning::on);
  options.traces_accesses = true;
  transport::LoopbackFabric fabric(std::array<int32_t, k_early_world>{0, 0, 1, 1});
  test::RankOfAll one(fabric, 0, two_early_nodes(), options);
  for (int call = 0; call < 5; ++call)
    EXPECT_NE(one.dispatcher.prepare(alltoall(1 << 20), CallInterface::blocking).prepared.recorder, nullptr);
}

/// The result for a call on one rank, without any agreement.
Served alone(const Request& request, const topology::Topology& topology, const Options& options,
             const char* setting = nullptr, std::string* choice = nullptr) {
  transport::LoopbackFabric fabric(std::array<int32_t, k_early_world>{0, 0, 1, 1});
  test::RankOfAll one(fabric, 0, topology, options, setting);
  uint64_t bytes = 0;
  const bool is_known = select::bytes_of_interest(request, &bytes);
  if (one.dispatcher.goes_native(request.collective, bytes, is_known, CallInterface::blocking))
    return Served::natively;
  const PreparedCall prepared = one.dispatcher.prepare(request, CallInterface::blocking).prepared;
  if (choice != nullptr && prepared.line != nullptr) *choice = prepared.line->choice;
  return served_by(prepared);
}

TEST(Early, OnlyChosenCollectivesDo) {
  Options on = early_options(Options::Tuning::off);
  on.early_collectives = parse_early_collectives("bcast,alltoall").value();
  EXPECT_EQ(alone(alltoall(k_least), two_early_nodes(), on), Served::early);
  on.early_collectives = parse_early_collectives("bcast").value();
  EXPECT_NE(alone(alltoall(k_least), two_early_nodes(), on), Served::early);
  EXPECT_TRUE(parse_early_collectives("all").value().all());
  for (const char* wrong : {"", "barrier", "bcast,", "bcast alltoall", "altoall"})
    EXPECT_FALSE(parse_early_collectives(wrong)) << wrong;
}

TEST(Early, OnlyLongCallsBetweenNodesDo) {
  const Options off{.tuning = Options::Tuning::off}, on = early_options(Options::Tuning::off);
  EXPECT_EQ(alone(alltoall(k_least), two_early_nodes(), on), Served::early);
  EXPECT_NE(alone(alltoall(k_least - 1), two_early_nodes(), on), Served::early);
  EXPECT_NE(alone(alltoall(k_least), two_early_nodes(), off), Served::early);
  EXPECT_NE(alone(alltoall(k_least), topology::Topology::blocked(k_early_world, k_early_world), on),
            Served::early);
  EXPECT_NE(alone({.collective = Collective::barrier, .rank_count = k_early_world}, two_early_nodes(), on),
            Served::early);
}

TEST(Early, APersonHasTheLastWord) {
  const Options on = early_options(Options::Tuning::on);
  std::string choice;
  EXPECT_EQ(alone(alltoall(k_least), two_early_nodes(), on, "TUTTI_ALLTOALL=pairwise", &choice),
            Served::early);
  EXPECT_EQ(choice, "pairwise@early");
  EXPECT_EQ(alone(alltoall(k_least), two_early_nodes(), on, "TUTTI_ALLTOALL=native"), Served::natively);
  EXPECT_EQ(alone(alltoall(k_least), two_early_nodes(), {.tuning = Options::Tuning::off},
                  "TUTTI_ALLTOALL=ring@early", &choice),
            Served::waiting)
      << "where calls do not return early, the next rule decides";
  EXPECT_EQ(choice.find("ring@early"), std::string::npos) << choice;
}

}  // namespace
}  // namespace tutti::collective
