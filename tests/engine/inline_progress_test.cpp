// Jobs that are advanced by any thread that enters the engine.

#include "engine/inline_progress.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "engine/cpu_engine.hpp"
#include "tests/engine/progress_support.hpp"

namespace tutti::test {
namespace {

using engine::InlineProgress;
using engine::Job;

TEST(InlineProgress, NothingHappensBeforeSomebodyPasses) {
  InlineProgress progress;
  EXPECT_FALSE(progress.has_jobs());
  EXPECT_FALSE(progress.progress());
  Ring ring(2);
  const auto round = ring.make_round(0);
  for (WaitingJob& job : round->jobs) progress.submit(&job);
  EXPECT_TRUE(progress.has_jobs());
  for (WaitingJob& job : round->jobs) EXPECT_FALSE(job.signal.is_set());
  while (progress.has_jobs()) progress.progress();
  EXPECT_TRUE(round->is_right());
}

TEST(InlineProgress, AnEndingJobMayHandOverTheNext) {
  InlineProgress progress;
  EndlessEngine engine;
  engine.ends_at_once = true;
  int ended = 0;
  LambdaJob last(&engine, [&](Job*) { ++ended; });
  LambdaJob first(&engine, [&](Job*) {
    ++ended;
    progress.submit(&last);
    EXPECT_FALSE(progress.progress()) << "driven from inside of itself";
  });
  progress.submit(&first);
  while (progress.has_jobs()) progress.progress();
  EXPECT_EQ(ended, 2);
}

TEST(InlineProgress, ThreadsThatStartAndWaitAtTheSameTime) {
  constexpr int k_threads = 4, k_rounds = 300;
  InlineProgress progress;
  std::vector<std::thread> threads;
  for (int t = 0; t < k_threads; ++t)
    threads.emplace_back([&progress] {
      Ring ring(2);
      for (uint32_t i = 0; i < k_rounds; ++i) {
        const auto round = ring.make_round(i);
        for (WaitingJob& job : round->jobs) progress.submit(&job);
        for (WaitingJob& job : round->jobs)
          while (!job.signal.is_set())
            if (!progress.progress()) std::this_thread::yield();
        ASSERT_TRUE(round->is_right());
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(progress.has_jobs());
}

TEST(InlineProgress, MovesOnWhileAnEngineWaits) {
  InlineProgress progress;
  Ring beside(2);
  const auto round = beside.make_round(0);
  for (WaitingJob& job : round->jobs) progress.submit(&job);

  // Rank 0 waits for rank 1, whose part is done only after the round.
  Ring ring(2);
  engine::CpuEngine waiting({.networks = {&ring.fabric.endpoint(0)}, .local = &ring.fabric.endpoint(0)},
                            engine::WaitPolicy::yield, base::CpuShare::own, &progress);
  const auto waited = ring.make_round(0);
  std::thread peer([&] {
    round->wait(engine::WaitPolicy::yield);
    EXPECT_TRUE(ring.engines[1]->run(*ring.plans[1], waited->jobs[1].bindings));
  });
  EXPECT_TRUE(waiting.run(*ring.plans[0], waited->jobs[0].bindings));
  peer.join();
  EXPECT_TRUE(round->is_right());
  EXPECT_EQ(waited->out[0], waited->in[1]);
}

}  // namespace
}  // namespace tutti::test
