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

TEST(Runner, AJobThatIsNotReadyHoldsUpThoseBehindIt) {
  Runner runner;
  EndlessEngine engine, other;
  engine.ends_at_once = other.ends_at_once = true;
  std::vector<Job*> ended;
  const auto note = [&](Job* job) { ended.push_back(job); };
  LambdaJob first(&engine, note), second(&engine, note), elsewhere(&other, note);
  first.ready = false;
  for (LambdaJob* job : {&first, &second, &elsewhere}) runner.accept(job);
  runner.progress();
  EXPECT_EQ(ended, std::vector<Job*>{&elsewhere});
  EXPECT_EQ(engine.started_count, 0u);
  first.ready = true;
  while (runner.has_jobs()) runner.progress();
  EXPECT_EQ(ended, (std::vector<Job*>{&elsewhere, &first, &second}));
}

TEST(Runner, ItAwaitsAnEventWhereAllItsOperationsDo) {
  Runner runner;
  EndlessEngine first, second;
  first.awaits_event = second.awaits_event = true;
  LambdaJob one(&first, [](Job*) {}), another(&first, [](Job*) {}), elsewhere(&second, [](Job*) {});
  runner.accept(&one);
  EXPECT_TRUE(runner.awaits_event());
  runner.accept(&elsewhere);
  EXPECT_TRUE(runner.awaits_event());
  second.awaits_event = false;
  EXPECT_FALSE(runner.awaits_event());
  second.awaits_event = true;
  another.ready = false;  // and it is unknown when it will be
  runner.accept(&another);
  EXPECT_FALSE(runner.awaits_event());
  another.ready = true;
  runner.progress();
  EXPECT_TRUE(runner.awaits_event());
  first.may_end = second.may_end = true;
  runner.progress();
  EXPECT_FALSE(runner.has_jobs());
}

/// Carries itself out.
class OwnOperation final : public Job, public engine::Operation {
 public:
  base::Result<engine::Operation*> start() override {
    is_started = true;
    return static_cast<engine::Operation*>(this);
  }
  void release(engine::Operation* operation) override { is_released = operation == this; }
  bool is_done() const override { return polls_before_end-- == 0; }
  const Status& status() const override { return status_; }
  void ended(const Status&) override { has_ended = is_released; }

  mutable int polls_before_end = 2;
  bool is_started = false, is_released = false, has_ended = false;

 private:
  Status status_;
};

TEST(Runner, AJobMayCarryItselfOut) {
  Runner runner;
  EndlessEngine engine;
  OwnOperation job;
  job.engine = &engine;
  runner.accept(&job);
  EXPECT_TRUE(job.is_started);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(job.has_ended);
    runner.progress();
  }
  EXPECT_TRUE(job.has_ended);
  EXPECT_EQ(engine.started_count, 0u);
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
