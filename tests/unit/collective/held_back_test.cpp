// Calls that may not wait, on ranks that run ahead of each other.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "tests/unit/collective/ranks.hpp"

namespace tutti::collective::held_back {
namespace {

using algorithm::Collective;
using algorithm::Request;
using select::CallInterface;

constexpr int k_world = 4;
constexpr int k_calls = 600;

topology::Topology two_and_two() {
  return topology::Topology::from_node_of_rank(std::array<int32_t, k_world>{0, 0, 1, 1}).value();
}

/// One rank of a program of broadcasts that do not block. What is not known yet stands in line, as in
/// call/nonblocking_call.hpp.
class RankOfProgram {
 public:
  RankOfProgram(transport::LoopbackFabric& fabric, int rank, bool has_twin)
      : random_(static_cast<uint32_t>(rank) + 1),
        one_(fabric, rank, two_and_two(),
             Options{.tuning = Options::Tuning::on, .tuning_budget_permille = 1000}, nullptr, nullptr,
             has_twin) {}

  void run() {
    for (int call = 0; call < k_calls; ++call) {
      begin();
      if (random_() % 100 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(random_() % 4));
      if (random_() % 3 == 0) decide_those_in_line();
    }
    while (!line_.empty()) {
      one_.process.drive_agreements();
      decide_those_in_line();
    }
    // A rank that is done helps the others to end what they have begun.
    while (one_.process.has_agreements()) one_.process.drive_agreements();
  }

  std::vector<uint32_t> candidates;  // by call; UINT32_MAX: the rules chose
  std::vector<int> reached_native;   // calls, in the order in which the native MPI hears of them
  int held_back = 0;

 private:
  static constexpr uint64_t k_bytes = 1 << 20;

  void begin() {
    const Request request{.collective = Collective::bcast, .rank_count = k_world, .bytes = k_bytes};
    DispatchedCall dispatched = one_.dispatcher.prepare(request, CallInterface::nonblocking);
    const int call = static_cast<int>(candidates.size());
    candidates.push_back(dispatched.served_call ? dispatched.served_call->candidate : UINT32_MAX);
    if (dispatched.is_open()) ++held_back;
    const bool stands_in_line = dispatched.is_open() || (dispatched.site != nullptr && !line_.empty());
    if (stands_in_line)
      line_.push_back({call, std::move(dispatched)});
    else
      ended(call, dispatched);
  }

  void decide_those_in_line() {
    for (; !line_.empty(); line_.pop_front()) {
      auto& [call, dispatched] = line_.front();
      if (dispatched.is_open()) {
        dispatched.served_call = dispatched.site->next_held_back();
        if (!dispatched.served_call) return;
        candidates[static_cast<size_t>(call)] = dispatched.served_call->candidate;
      }
      ended(call, dispatched);
    }
  }

  void ended(int call, const DispatchedCall& dispatched) {
    if (dispatched.site == nullptr) return;
    const bool is_native = dispatched.site->candidate(dispatched.served_call->candidate).is_native();
    if (is_native) reached_native.push_back(call);
    // The native MPI is the best here, so that the ranks turn to it.
    if (dispatched.is_trial())
      dispatched.site->end(*dispatched.served_call, {.start_ns = is_native ? 10'000u : 400'000u});
  }

  struct InLine {
    int call;
    DispatchedCall dispatched;
  };
  std::mt19937 random_;
  test::RankOfAll one_;
  std::deque<InLine> line_;
};

std::vector<std::unique_ptr<RankOfProgram>> run_all(bool has_twin) {
  transport::LoopbackFabric fabric(std::array<int32_t, k_world>{0, 0, 1, 1});
  std::vector<std::unique_ptr<RankOfProgram>> ranks;
  for (int rank = 0; rank < k_world; ++rank)
    ranks.push_back(std::make_unique<RankOfProgram>(fabric, rank, has_twin));
  test::on_all_ranks(k_world, [&](int rank) { ranks[static_cast<size_t>(rank)]->run(); });
  return ranks;
}

TEST(HeldBack, EveryCallIsServedAlikeAndReachesTheNativeMpiInItsOrder) {
  const auto ranks = run_all(true);
  int held_back = 0;
  for (const auto& rank : ranks) {
    EXPECT_EQ(rank->candidates, ranks[0]->candidates);
    EXPECT_EQ(rank->reached_native, ranks[0]->reached_native);
    EXPECT_TRUE(std::ranges::is_sorted(rank->reached_native));
    held_back += rank->held_back;
  }
  // The property is not empty.
  EXPECT_GT(held_back, 0);
  EXPECT_GT(ranks[0]->reached_native.size(), 10u);
}

TEST(HeldBack, WithoutATwinNoCallIs) {
  const auto ranks = run_all(false);
  for (const auto& rank : ranks) {
    EXPECT_EQ(rank->held_back, 0);
    EXPECT_EQ(rank->candidates, std::vector<uint32_t>(k_calls, UINT32_MAX));
  }
}

}  // namespace
}  // namespace tutti::collective::held_back
