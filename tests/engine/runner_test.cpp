// Jobs of many engines in one hand.

#include "engine/runner.hpp"

#include <gtest/gtest.h>

#include "tests/engine/progress_support.hpp"

namespace tutti::test {
namespace {

using engine::Job;
using engine::Runner;

TEST(Runner, TenThousandJobsOnTwoEngines) {
  constexpr uint32_t k_rounds = 5000;
  Runner runner;
  Ring ring(2);
  std::vector<std::unique_ptr<Ring::Round>> rounds;
  for (uint32_t i = 0; i < k_rounds; ++i) rounds.push_back(ring.make_round(i));
  for (const auto& round : rounds)
    for (WaitingJob& job : round->jobs) runner.accept(&job);
  while (runner.has_jobs()) runner.progress();
  for (const auto& round : rounds) ASSERT_TRUE(round->is_right());
}

TEST(Runner, JobsBeyondTheBoundWaitForTheirTurn) {
  Runner runner;
  EndlessEngine engine;
  std::vector<Job*> ended;
  std::vector<std::unique_ptr<LambdaJob>> jobs;
  for (size_t i = 0; i < Runner::k_most_running + 10; ++i) {
    jobs.push_back(std::make_unique<LambdaJob>(&engine, [&](Job* job) { ended.push_back(job); }));
    runner.accept(jobs.back().get());
  }
  runner.progress();
  EXPECT_EQ(engine.started_count, Runner::k_most_running);
  EXPECT_TRUE(ended.empty());
  engine.may_end = true;
  while (runner.has_jobs()) runner.progress();
  EXPECT_EQ(engine.started_count, jobs.size());
  ASSERT_EQ(ended.size(), jobs.size());
  for (size_t i = 0; i < jobs.size(); ++i) EXPECT_EQ(ended[i], jobs[i].get());
}

TEST(Runner, AnEngineWithoutJobsIsLeftAlone) {
  Runner runner;
  EndlessEngine first, second;
  int ended = 0;
  LambdaJob one(&first, [&](Job*) { ++ended; }), other(&second, [&](Job*) { ++ended; });
  runner.accept(&one);
  runner.accept(&other);
  first.may_end = true;
  runner.progress();
  EXPECT_EQ(ended, 1);
  const size_t polled = first.polled_count, polled_other = second.polled_count;
  runner.progress();
  EXPECT_EQ(first.polled_count, polled);
  EXPECT_EQ(second.polled_count, polled_other + 1);
  second.may_end = true;
  runner.progress();
  EXPECT_EQ(ended, 2);
  EXPECT_FALSE(runner.has_jobs());
}

TEST(Runner, AJobThatCannotStartHearsOfItLater) {
  Runner runner;
  Ring ring(1);
  const auto round = ring.make_round(0);
  round->jobs[0].bindings.output = nullptr;
  runner.accept(&round->jobs[0]);
  EXPECT_FALSE(round->jobs[0].signal.is_set()) << "ended() while the job is being handed over";
  EXPECT_TRUE(runner.has_jobs());
  EXPECT_TRUE(runner.progress());
  EXPECT_TRUE(round->jobs[0].signal.is_set());
  EXPECT_EQ(round->jobs[0].status.code(), Code::invalid_argument);
  EXPECT_FALSE(runner.has_jobs());
}

}  // namespace
}  // namespace tutti::test
