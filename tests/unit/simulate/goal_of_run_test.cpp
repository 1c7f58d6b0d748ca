#include "simulate/goal_of_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "simulate/goal_run.hpp"
#include "simulate/replay.hpp"

namespace tutti::simulate {
namespace {

using algorithm::Collective;

constexpr uint64_t k_gap_ns = 1'000'000;

/// A program of three calls, of all ranks and of some.
template <class Play>
void play(const Play& player) {
  const std::vector<uint32_t> all = {0, 1, 2, 3}, some = {3, 1};
  const std::vector<uint64_t> gaps = {k_gap_ns, 2 * k_gap_ns, 3 * k_gap_ns, 4 * k_gap_ns}, few(2, k_gap_ns);
  const auto made = [&](Collective collective, const char* choice, const std::vector<uint32_t>& members,
                        const std::vector<uint64_t>& before, bool is_size_known) {
    const base::Status status = player(RecordedCall{.collective = collective,
                                                    .bytes = 1000,
                                                    .root = 1,
                                                    .members = members,
                                                    .choice = choice,
                                                    .gaps_ns = before,
                                                    .inside_ns = before,
                                                    .is_size_known = is_size_known});
    EXPECT_TRUE(status) << status.message();
  };
  made(Collective::allreduce, "recursive_doubling", all, gaps, true);
  made(Collective::bcast, "knomial", some, few, true);
  made(Collective::alltoallv, "native", some, few, false);
  made(Collective::gather, "native", all, gaps, true);
}

GoalProgram program() {
  GoalOfRun goal({0, 1, 2, 3}, Machine{});
  play([&](const RecordedCall& call) { return goal.add(call); });
  return goal.program();
}

TEST(GoalOfRun, ReadsBackAsTheSame) {
  const GoalProgram written = program();
  const auto read = parse_goal(format_goal(written), "file");
  ASSERT_TRUE(read.is_ok()) << read.status().message();
  EXPECT_EQ(*read, written);
}

TEST(GoalOfRun, TakesTheTimeOfTheReplay) {
  const auto outcome = run_goal(program(), 1, Machine{});
  ASSERT_TRUE(outcome.is_ok()) << outcome.status().message();
  Replay replay({0, 1, 2, 3}, Machine{}, {});
  play([&](const RecordedCall& call) { return replay.add(call); });
  const auto end_ns = static_cast<double>(*std::ranges::max_element(outcome->ends_ps)) / 1000;
  EXPECT_NEAR(end_ns, replay.times().run_ns, 0.001 * replay.times().run_ns);
}

}  // namespace
}  // namespace tutti::simulate
