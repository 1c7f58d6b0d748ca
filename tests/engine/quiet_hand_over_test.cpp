// Must hold: handing a job over to a progress thread that is awake, and being told of its end, takes no
// system call, and nothing is allocated on either side.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "engine/progress_thread.hpp"
#include "tests/engine/progress_support.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/system_calls.hpp"

namespace tutti::test {
namespace {

using engine::ProgressThread;
using engine::WaitPolicy;

/// A thread that does not park, because a job is under way that does not end.
class Awake {
 public:
  Awake() {
    thread->submit(&endless_);
    run(100);  // warm
  }
  ~Awake() { engine_.may_end = true; }

  /// Collectives one after the other; the caller polls.
  bool run(int count) {
    for (int i = 0; i < count; ++i) {
      for (WaitingJob& job : round_->jobs) {
        job.signal.reset();
        thread->submit(&job);
      }
      round_->wait(WaitPolicy::spin);
      if (!round_->is_right()) return false;
    }
    return true;
  }

 private:
  EndlessEngine engine_;
  LambdaJob endless_{&engine_, [](engine::Job*) {}};
  Ring ring_{2};
  std::unique_ptr<Ring::Round> round_ = ring_.make_round(0);

 public:
  std::unique_ptr<ProgressThread> thread = start_thread({.wait = WaitPolicy::spin});
};

/// Hands one job over again and again; the engine has nothing to do for it, so that what is counted is the
/// way there and back.
class Shuttle {
 public:
  Shuttle(ProgressThread& thread, WaitPolicy policy) : thread_(thread), policy_(policy) {
    engine_.ends_at_once = true;
    job_.engine = &engine_;
    job_.plan = nothing_.get();
  }
  void run() {
    job_.signal.reset();
    thread_.submit(&job_);
    job_.signal.wait(policy_);
  }

 private:
  ProgressThread& thread_;
  const WaitPolicy policy_;
  EndlessEngine engine_;
  std::shared_ptr<const Plan> nothing_ = [] {
    ScheduleBuilder builder;
    return plan_of(builder);
  }();
  WaitingJob job_;
};

TEST(QuietHandOver, NothingIsAllocated) {
  if (!AllocationCounter::is_available()) GTEST_SKIP() << "a sanitizer owns malloc";
  const Awake awake;
  Shuttle shuttle(*awake.thread, WaitPolicy::spin);
  shuttle.run();
  const AllocationCounter counter;
  for (int i = 0; i < 1000; ++i) shuttle.run();
  EXPECT_EQ(counter.count(), 0u);
}

TEST(QuietHandOver, NothingIsAllocatedToWakeAThread) {
  if (!AllocationCounter::is_available()) GTEST_SKIP() << "a sanitizer owns malloc";
  const auto thread = start_thread({.wait = WaitPolicy::sleep});
  Shuttle shuttle(*thread, WaitPolicy::sleep);
  const auto run = [&] {
    const uint64_t parks = thread->counts().parks;
    shuttle.run();
    while (thread->counts().parks == parks) usleep(10);
  };
  for (int i = 0; i < 3; ++i) run();
  const AllocationCounter counter;
  for (int i = 0; i < 100; ++i) run();
  EXPECT_EQ(counter.count(), 0u);
}

/// Exit status of a child that runs `work` with an awake thread and without permission for system calls.
template <class Work>
int status_of_awake_child(Work work) {
  const pid_t child = fork();
  if (child == 0) {
    Awake awake;
    if (!forbid_system_calls()) _exit(k_no_seccomp);
    _exit(work(awake) ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

TEST(QuietHandOver, NoSystemCallIsMade) {
  if (k_is_sanitized) GTEST_SKIP() << "a sanitizer makes its own system calls";
  const int status = status_of_awake_child([](Awake& awake) { return awake.run(1000); });
  if (WIFEXITED(status) && WEXITSTATUS(status) == k_no_seccomp) GTEST_SKIP() << "no seccomp filters here";
  EXPECT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(QuietHandOver, WakingAThreadIsASystemCall) {
  if (k_is_sanitized) GTEST_SKIP() << "a sanitizer makes its own system calls";
  const pid_t child = fork();
  if (child == 0) {
    const auto thread = start_thread({.wait = WaitPolicy::sleep});
    EndlessEngine engine;
    LambdaJob job(&engine, [](engine::Job*) {});
    while (thread->counts().parks == 0) usleep(10);
    usleep(1000);
    if (!forbid_system_calls()) _exit(k_no_seccomp);
    thread->submit(&job);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == k_no_seccomp) GTEST_SKIP() << "no seccomp filters here";
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGSYS);
}

}  // namespace
}  // namespace tutti::test
