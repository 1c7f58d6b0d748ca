// Jobs that another thread carries out.

#include "engine/progress_thread.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <functional>
#include <semaphore>
#include <string>
#include <thread>

#include "base/cpu_set.hpp"
#include "engine/signal.hpp"
#include "tests/engine/contract.hpp"
#include "tests/engine/progress_support.hpp"
#include "tests/support/operators.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/transport/loopback.hpp"

namespace tutti::test {
namespace {

using base::CpuSet;
using engine::Job;
using engine::ProgressThread;
using engine::Signal;
using engine::WaitPolicy;

class ProgressPolicies : public testing::TestWithParam<WaitPolicy> {};

INSTANTIATE_TEST_SUITE_P(All, ProgressPolicies,
                         testing::Values(WaitPolicy::spin, WaitPolicy::yield, WaitPolicy::sleep,
                                         WaitPolicy::automatic),
                         [](const auto& policy) { return std::string(to_string(policy.param)); });

TEST_P(ProgressPolicies, ManyJobsOfManyEnginesEnd) {
  constexpr size_t k_rounds = 300;
  const auto thread = start_thread({.wait = GetParam()});
  Ring ring(3);
  std::vector<std::unique_ptr<Ring::Round>> rounds;
  for (size_t i = 0; i < k_rounds; ++i) rounds.push_back(ring.make_round(static_cast<uint32_t>(i)));
  for (const auto& round : rounds)
    for (WaitingJob& job : round->jobs) thread->submit(&job);
  for (const auto& round : rounds) {
    round->wait(GetParam());
    EXPECT_TRUE(round->is_right());
  }
  EXPECT_TRUE(thread->stop());
  EXPECT_EQ(thread->counts().jobs, 3 * k_rounds);
}

TEST_P(ProgressPolicies, SeveralThreadsHandOver) {
  const auto thread = start_thread({.wait = GetParam()});
  std::vector<std::thread> producers;
  std::atomic<int> right{0};
  for (int p = 0; p < 3; ++p)
    producers.emplace_back([&] {
      Ring ring(2);
      for (uint32_t i = 0; i < 100; ++i) {
        const auto round = ring.make_round(i);
        for (WaitingJob& job : round->jobs) thread->submit(&job);
        round->wait(GetParam());
        if (round->is_right()) ++right;
      }
    });
  for (std::thread& producer : producers) producer.join();
  EXPECT_EQ(right, 300);
}

TEST(ProgressThread, AnErrorReachesItsJobAndNoOther) {
  const auto thread = start_thread();
  Ring ring(2);
  const auto good = ring.make_round(0), bad = ring.make_round(1);
  for (WaitingJob& job : bad->jobs) job.bindings.output = nullptr;
  for (const auto& round : {good.get(), bad.get()})
    for (WaitingJob& job : round->jobs) thread->submit(&job);
  good->wait(WaitPolicy::sleep);
  bad->wait(WaitPolicy::sleep);
  EXPECT_TRUE(good->is_right());
  for (const WaitingJob& job : bad->jobs) EXPECT_EQ(job.status.code(), Code::invalid_argument);
}

TEST(ProgressThread, ABrokenNetworkEndsTheJobs) {
  const auto thread = start_thread();
  Ring ring(2);
  const auto round = ring.make_round(0);
  thread->submit(&round->jobs[1]);  // waits for the one that is not handed over
  ring.fabric.fail();
  round->jobs[1].signal.wait(WaitPolicy::sleep);
  EXPECT_EQ(round->jobs[1].status.code(), Code::system);
}

TEST(ProgressThread, MoreUrgentTasksOfAJobComeFirst) {
  class Log final : public engine::Reducer {
   public:
    void apply(const std::byte* source, std::byte*, uint64_t) const override {
      order.push_back(std::to_integer<int>(*source));
    }
    bool is_commutative() const override { return true; }
    mutable std::vector<int> order;
  };
  std::array<std::byte, 6> in{}, out{};
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::byte>(i);
  ScheduleBuilder builder;
  for (uint64_t i = 0; i < 6; ++i) {
    builder.set_priority(i < 3 ? 1 : 0);
    builder.reduce(input(i, 1), output(i, 1));
  }
  const auto plan = plan_of(builder);
  const Log reducer;
  Ring ring(1);
  WaitingJob job;
  job.engine = ring.engines[0].get();
  job.plan = plan.get();
  job.bindings = {.input = in.data(), .output = out.data(), .reducer = &reducer};
  const auto thread = start_thread();
  thread->submit(&job);
  job.signal.wait(WaitPolicy::sleep);
  EXPECT_EQ(reducer.order, (std::vector<int>{3, 4, 5, 0, 1, 2}));
}

TEST(ProgressThread, AJobIsHandedOverAgainWhenItEnds) {
  const auto thread = start_thread();
  EndlessEngine engine;
  engine.ends_at_once = true;
  int count = 0;
  Signal done;
  LambdaJob job(&engine, [&](Job* me) {
    if (++count < 1000)
      thread->submit(me);
    else
      done.set();
  });
  thread->submit(&job);
  done.wait(WaitPolicy::sleep);
  EXPECT_EQ(count, 1000);
}

TEST(ProgressThread, AJobMayDeleteItself) {
  const auto thread = start_thread();
  EndlessEngine engine;
  engine.ends_at_once = true;
  std::atomic<int> count{0};
  for (int i = 0; i < 100; ++i)
    thread->submit(new LambdaJob(&engine, [&](Job* me) {
      ++count;
      delete me;
    }));
  EXPECT_TRUE(thread->stop());
  EXPECT_EQ(count, 100);
}

TEST(ProgressThread, StopGivesUpOnAJobThatDoesNotEnd) {
  const auto thread = start_thread();
  EndlessEngine engine;
  bool has_ended = false;
  LambdaJob job(&engine, [&](Job*) { has_ended = true; });
  thread->submit(&job);
  EXPECT_FALSE(thread->stop(1'000'000));
  EXPECT_FALSE(has_ended);
  EXPECT_FALSE(thread->is_me());
  EXPECT_TRUE(thread->stop());  // and a second time changes nothing
}

TEST(ProgressThread, WhatItHandsOverIsMovedOnByOthers) {
  const auto thread = start_thread();
  EndlessEngine engine, other;
  other.ends_at_once = true;
  int ended = 0;
  LambdaJob before(&engine, [&](Job*) { ++ended; }), after(&other, [&](Job*) { ++ended; });
  thread->submit(&before);
  EXPECT_FALSE(thread->progress());  // the thread's own
  EXPECT_TRUE(thread->hand_over(ProgressThread::k_forever_ns));
  EXPECT_FALSE(thread->is_running());
  EXPECT_TRUE(thread->has_jobs());
  thread->submit(&after);
  while (ended < 1) thread->progress();
  engine.may_end = true;
  while (ended < 2) thread->progress();
  EXPECT_FALSE(thread->has_jobs());
  EXPECT_TRUE(thread->stop());
}

TEST(ProgressThread, ItNapsWhileNothingMoves) {
  const auto thread = start_thread({.wait = WaitPolicy::sleep});
  EndlessEngine engine;
  LambdaJob job(&engine, [](Job*) {});
  thread->submit(&job);
  while (thread->counts().naps < 10) std::this_thread::yield();
  engine.may_end = true;
  EXPECT_TRUE(thread->stop());
}

TEST(ProgressThread, AParkedThreadUsesNoCpuTime) {
  const auto thread = start_thread({.wait = WaitPolicy::spin});
  Ring ring(2);
  const auto round = ring.make_round(0);
  for (WaitingJob& job : round->jobs) thread->submit(&job);
  round->wait(WaitPolicy::sleep);
  while (thread->counts().parks == 0) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // it has announced that it parks
  const auto counts = thread->counts();
  const uint64_t before_ns = thread->cpu_ns();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  EXPECT_LE(thread->cpu_ns() - before_ns, 1'000'000u);
  EXPECT_EQ(thread->counts().parks, counts.parks);
  EXPECT_EQ(thread->counts().polls, counts.polls);
}

/// A network without endpoints, which counts its polls.
class CountingNetwork : public transport::Network {
 public:
  transport::ConstBytes address() const override { return {}; }
  void set_peers(int, transport::Addresses) override {}
  std::unique_ptr<transport::Endpoint> make_endpoint(transport::Space, std::span<const int>) override {
    return nullptr;
  }
  bool make_progress() override { return ++polls <= moves; }

  std::atomic<uint32_t> polls = 0;
  uint32_t moves = 0;  // polls that find something
};

TEST(ProgressThread, ItLooksAfterANetworkWhenItHasNoJobs) {
  CountingNetwork network;
  network.moves = 200;
  const auto thread = start_thread({.wait = WaitPolicy::spin});
  while (thread->counts().parks == 0) std::this_thread::yield();
  thread->look_after(network);
  while (network.polls < 210) std::this_thread::yield();
  Ring ring(2);
  const auto round = ring.make_round(0);
  for (WaitingJob& job : round->jobs) thread->submit(&job);
  round->wait(WaitPolicy::sleep);
  const uint32_t polls = network.polls;
  while (network.polls < polls + 3) std::this_thread::yield();
  EXPECT_TRUE(thread->stop());
  EXPECT_EQ(thread->counts().parks, 1u);
}

TEST(ProgressThread, LookingAfterAQuietNetworkCostsLittle) {
  CountingNetwork network;
  const auto thread = start_thread({.wait = WaitPolicy::spin});
  thread->look_after(network);
  std::this_thread::sleep_for(std::chrono::seconds(2));
  EXPECT_LE(network.polls, 40u);
}

/// A network that only wakes sleepers by its bell: no sleep ends by itself.
class DoorbellNetwork final : public CountingNetwork {
 public:
  bool arm() override { return is_quiet; }
  void await_event(uint64_t, int) override {
    is_slept_at = true;
    bell.acquire();
    is_slept_at = false;
  }
  void interrupt() override { bell.release(); }

  std::atomic<bool> is_quiet = true, is_slept_at = false;
  std::counting_semaphore<> bell{0};
};

/// A thread that sleeps at such a network between its polls of an operation without an end.
class ProgressThreadAtADoorbell : public testing::Test {
 protected:
  ProgressThreadAtADoorbell() { thread->look_after(network); }
  void await_sleep() const {
    while (!network.is_slept_at) std::this_thread::yield();
  }

  DoorbellNetwork network;
  EndlessEngine engine;
  Signal done;
  LambdaJob job{&engine, [this](Job*) { done.set(); }};
  const std::unique_ptr<ProgressThread> thread = start_thread({.wait = WaitPolicy::sleep});
};

TEST_F(ProgressThreadAtADoorbell, WhereItsJobsAwaitAnEventItSleepsUntilThatComes) {
  engine.awaits_event = true;
  thread->submit(&job);
  for (int event = 0; event < 3; ++event) {
    while (engine.started_count == 0) std::this_thread::yield();
    await_sleep();
    const size_t polls = engine.polled_count;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(engine.polled_count, polls);
    if (event == 2) engine.may_end = true;
    network.bell.release();
    while (engine.polled_count == polls) std::this_thread::yield();
  }
  done.wait(WaitPolicy::sleep);
  EXPECT_TRUE(thread->stop());
}

TEST_F(ProgressThreadAtADoorbell, AJobEndsTheSleep) {
  engine.awaits_event = true;
  Ring ring(2);
  for (const bool is_idle : {true, false}) {
    if (!is_idle) thread->submit(&job);
    for (uint32_t i = 0; i < 200; ++i) {
      if (i % 3 == 0) await_sleep();
      const auto round = ring.make_round(i);
      for (WaitingJob& waiting : round->jobs) thread->submit(&waiting);
      round->wait(WaitPolicy::sleep);
      ASSERT_TRUE(round->is_right());
    }
  }
  engine.may_end = true;
  network.bell.release();
  done.wait(WaitPolicy::sleep);
  await_sleep();
  EXPECT_TRUE(thread->stop());
}

TEST_F(ProgressThreadAtADoorbell, WhereNothingSaysWhenSomethingComesItPolls) {
  for (const bool awaits_event : {false, true}) {
    engine.awaits_event = awaits_event;
    network.is_quiet = !awaits_event;
    engine.may_end = false;
    const size_t polls = engine.polled_count;
    done.reset();
    thread->submit(&job);
    while (engine.polled_count < polls + 50) std::this_thread::yield();
    engine.may_end = true;
    done.wait(WaitPolicy::sleep);
  }
  network.is_quiet = true;
  EXPECT_TRUE(thread->stop());
}

TEST(ProgressThread, ItHasANameAndTakesNoSignals) {
  const auto thread = start_thread();
  EndlessEngine engine;
  engine.ends_at_once = true;
  std::array<char, 16> name{};
  sigset_t blocked;
  bool is_me = false;
  Signal done;
  LambdaJob job(&engine, [&](Job*) {
    prctl(PR_GET_NAME, name.data());
    pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    is_me = thread->is_me();
    done.set();
  });
  thread->submit(&job);
  done.wait(WaitPolicy::sleep);
  EXPECT_STREQ(name.data(), "tutti-progress");
  EXPECT_TRUE(is_me);
  EXPECT_FALSE(thread->is_me());
  for (const int number : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGCHLD, SIGPROF, SIGHUP})
    EXPECT_EQ(sigismember(&blocked, number), 1) << number;
  EXPECT_EQ(sigismember(&blocked, SIGSEGV), 0);
  sigset_t mine;
  pthread_sigmask(SIG_BLOCK, nullptr, &mine);
  EXPECT_EQ(sigismember(&mine, SIGUSR1), 0) << "the caller's mask has changed";
}

unsigned last_of(const CpuSet& set) {
  unsigned last = 0;
  for (unsigned unit = 0; unit < 8 * set.bytes(); ++unit)
    if (set.has(unit)) last = unit;
  return last;
}

/// Processors of the thread when it executes a job that is submitted to `driver`.
CpuSet seen_by_job(engine::Driver& driver) {
  EndlessEngine engine;
  engine.ends_at_once = true;
  CpuSet seen = CpuSet::of({});
  Signal done;
  LambdaJob job(&engine, [&](Job*) {
    seen = CpuSet::of_this_thread();
    done.set();
  });
  driver.submit(&job);
  done.wait(WaitPolicy::sleep);
  return seen;
}

TEST(ProgressThread, ItRunsOnTheCoresItIsGiven) {
  const unsigned last = last_of(CpuSet::of_this_thread());
  const auto thread = start_thread({.cores = {last}});
  EXPECT_TRUE(seen_by_job(*thread) == CpuSet::of({last}));
}

TEST(ProgressThread, ItGoesWhereItsJobsWantIt) {
  const CpuSet mine = CpuSet::of_this_thread();
  const unsigned last = last_of(mine);
  const auto thread = start_thread({.cores = {last}});
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_TRUE(seen_by_job(thread->on_shared_cores()) == mine);
    EXPECT_TRUE(seen_by_job(*thread) == CpuSet::of({last}));
  }
}

TEST(ProgressThread, WithoutCoresOfItsOwnItStaysOnThoseOfItsMaker) {
  const auto thread = start_thread();
  EXPECT_TRUE(seen_by_job(*thread) == CpuSet::of_this_thread());
  EXPECT_TRUE(seen_by_job(thread->on_shared_cores()) == CpuSet::of_this_thread());
}

TEST(ProgressThread, CoresThatDoNotExistAreAnError) {
  const auto thread = ProgressThread::start({.cores = {100'000}});
  ASSERT_FALSE(thread);
  EXPECT_EQ(thread.status().code(), Code::system);
  EXPECT_NE(thread.status().message().find("progress: "), std::string::npos);
}

TEST(ProgressThread, AChildProcessForgetsIt) {
  if (k_is_sanitized) GTEST_SKIP() << "sanitizers do not survive a fork with threads";
  auto thread = start_thread();
  const pid_t child = fork();
  if (child == 0) {
    thread->abandon();
    thread.reset();
    // The child may have a thread of its own.
    auto own = ProgressThread::start({});
    EndlessEngine engine;
    engine.ends_at_once = true;
    Signal done;
    LambdaJob job(&engine, [&](Job*) { done.set(); });
    (*own)->submit(&job);
    done.wait(WaitPolicy::sleep);
    _exit((*own)->stop() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  Ring ring(2);
  const auto round = ring.make_round(0);
  for (WaitingJob& job : round->jobs) thread->submit(&job);
  round->wait(WaitPolicy::sleep);
  EXPECT_TRUE(round->is_right());
}

TEST(ProgressThread, ThoseWhoWaitHurryIt) {
  constexpr uint64_t k_an_hour_ns = 3'600'000'000'000;
  std::atomic<size_t> hurried{0};
  const auto thread = start_thread(
      {.wait = WaitPolicy::sleep, .longest_nap_ns = k_an_hour_ns, .while_boosted = [&] { ++hurried; }});
  EndlessEngine engine;
  WaitingJob job;
  LambdaJob endless(&engine, [&](Job*) { job.signal.set(); });
  thread->submit(&endless);
  while (thread->counts().naps < 12) sched_yield();  // the next one lasts for a tenth of a second
  EXPECT_EQ(hurried, 0u);
  const engine::ProgressThread::LatencyBoost boost(*thread);
  const size_t naps = thread->counts().naps;
  const size_t polls = engine.polled_count;
  while (engine.polled_count < polls + 10'000) sched_yield();
  EXPECT_LE(thread->counts().naps, naps + 1);
  EXPECT_GE(hurried, 9'990u);
  engine.may_end = true;
  job.signal.wait(WaitPolicy::yield);
}

}  // namespace
}  // namespace tutti::test
