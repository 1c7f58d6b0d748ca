// Calls that the rules leave to the native MPI, watched for ranks that come late.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "tests/unit/collective/ranks.hpp"

namespace tutti::collective {
namespace {

using algorithm::Collective;
using algorithm::Request;
using select::CallInterface;

constexpr int k_world = 4;
constexpr uint64_t k_bytes = 8;
constexpr uint64_t k_us = 1000;

topology::Topology two_and_two() {
  return topology::Topology::from_node_of_rank(std::array<int32_t, k_world>{0, 0, 1, 1}).value();
}

/// A program of broadcasts from rank 0.
struct Program {
  uint64_t spread_ns = 0;  // arrivals in [0, spread]
  int calls = 400;
  int refused_rank = -1;  // calls wrongly at first, now and then
  // The pause between calls, which earns trials. The choice must not slow the program down: if that is observed, the
  // pause exceeds the noise of a busy machine.
  std::chrono::microseconds pause{100};

  uint64_t lateness(int rank, int call) const {
    std::mt19937 random(static_cast<uint32_t>(call * k_world + rank));
    return spread_ns == 0 ? 0 : random() % spread_ns;
  }
};

enum class Way : uint8_t { passed, looked_at, by_agents };

/// One rank of it. The native MPI makes others wait for the last rank, agents do not.
class RankOfProgram {
 public:
  RankOfProgram(transport::LoopbackFabric& fabric, int rank, const Program& program)
      : rank_(rank),
        program_(program),
        one_(fabric, rank, two_and_two(),
             Options{.tuning = Options::Tuning::on, .tuning_budget_permille = 1000, .knows_arrivals = true},
             nullptr, &agents_) {}

  void run() {
    one_.dispatcher.agree_on_node_bytes(0, 0);
    for (int call = 0; call < program_.calls; ++call) {
      if (rank_ == program_.refused_rank && call % 7 < 2) static_cast<void>(make(call, false));
      ways.push_back(make(call, true));
      std::this_thread::sleep_for(program_.pause);
    }
    while (one_.process.has_agreements()) one_.process.drive_agreements();
  }

  std::vector<Way> ways;
  int openings() const { return agents_.openings; }

 private:
  Way make(int call, bool is_good) {
    CallEvent event{.collective = Collective::bcast, .bytes = k_bytes, .bytes_known = true};
    CollectiveDispatcher& dispatcher = one_.dispatcher;
    if (dispatcher.goes_native(Collective::bcast, k_bytes, true, CallInterface::blocking)) {
      dispatcher.on_native_completed(event, is_good);
      return Way::passed;
    }
    const Request request{.collective = Collective::bcast, .rank_count = k_world, .bytes = k_bytes};
    const DispatchedCall dispatched = dispatcher.prepare(request, CallInterface::blocking);
    const bool is_by_agents = std::holds_alternative<AgentCall>(dispatched.prepared.work);
    if (is_good && dispatched.is_trial())
      dispatched.site->end(*dispatched.served_call, sample(call, is_by_agents));
    event.dispatched = &dispatched;
    if (!is_by_agents) dispatcher.on_native_completed(event, is_good);
    return is_by_agents ? Way::by_agents : Way::looked_at;
  }

  select::Sample sample(int call, bool is_by_agents) const {
    const uint64_t own = program_.lateness(rank_, call);
    uint64_t ready = std::max(own, program_.lateness(0, call));
    for (int rank = 0; rank < k_world && !is_by_agents; ++rank)
      ready = std::max(ready, program_.lateness(rank, call));
    const uint64_t start = static_cast<uint64_t>(call + 1) * 100'000 * k_us;
    return {.start_ns = ready + 100 * k_us - own, .began_ns = start + own, .is_root = rank_ == 0};
  }

  const int rank_;
  const Program& program_;
  test::AgentsToOpen agents_;
  test::RankOfAll one_;
};

/// The outcome of each call, the same on all ranks.
std::vector<Way> ways_of(const Program& program, int* openings) {
  transport::LoopbackFabric fabric(std::array<int32_t, k_world>{0, 0, 1, 1});
  std::vector<std::unique_ptr<RankOfProgram>> ranks;
  for (int rank = 0; rank < k_world; ++rank)
    ranks.push_back(std::make_unique<RankOfProgram>(fabric, rank, program));
  test::on_all_ranks(k_world, [&](int rank) { ranks[static_cast<size_t>(rank)]->run(); });
  for (const auto& rank : ranks) {
    EXPECT_EQ(rank->ways, ranks[0]->ways);
    EXPECT_EQ(rank->openings(), ranks[0]->openings());
  }
  *openings = ranks[0]->openings();
  EXPECT_EQ(fabric.waiting_count(), 0u);
  return ranks[0]->ways;
}

TEST(Watching, MostCallsPassWhereRanksComeTogether) {
  int openings = 0;
  const std::vector<Way> ways = ways_of({.spread_ns = 0}, &openings);
  EXPECT_EQ(openings, 0);
  EXPECT_EQ(std::ranges::count(ways, Way::by_agents), 0);
  EXPECT_GT(std::ranges::count(ways, Way::passed), 300);
  EXPECT_GT(std::ranges::count(ways, Way::looked_at), 10);
}

TEST(Watching, AgentsAreOpenedOnceAndServeWhereRanksComeLate) {
  int openings = 0;
  const std::vector<Way> ways =
      ways_of({.spread_ns = 20'000 * k_us, .pause = std::chrono::milliseconds(2)}, &openings);
  EXPECT_EQ(openings, 1);
  EXPECT_GT(std::ranges::count(ways, Way::by_agents), 100);
  EXPECT_GT(std::count(ways.end() - 50, ways.end(), Way::by_agents), 25);
}

TEST(Watching, ACallThatTheNativeMpiRefusesDoesNotCount) {
  for (int rank = 0; rank < k_world; ++rank) {
    int openings = 0;
    ways_of({.spread_ns = 0, .calls = 200, .refused_rank = rank}, &openings);
    EXPECT_EQ(openings, 0);
  }
}

}  // namespace
}  // namespace tutti::collective
