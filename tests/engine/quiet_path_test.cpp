// Must hold: after its first run a small collective allocates nothing, takes no lock that sleeps and makes no
// system call. Several ranks are driven in turn by one thread, so nothing here depends on timing.
//
// Allocations are counted in malloc and its relatives. System calls are forbidden by a seccomp filter in a
// child process: the first one kills it with SIGSYS.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <memory>
#include <vector>

#include "engine/cpu_engine.hpp"
#include "engine/plan.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/support/operators.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/system_calls.hpp"
#include "tests/support/transport/loopback.hpp"

namespace tutti::test {
namespace {

using engine::CpuEngine;
using engine::Operation;
using engine::Plan;
using engine::WaitPolicy;
using schedule::BufRef;
using schedule::Peer;
using schedule::Slot;

constexpr int k_ranks = 4;
constexpr uint64_t k_bytes = 1024;

/// A chain that sends, receives, copies and reduces: each rank adds its input to what comes along.
std::shared_ptr<const Plan> make_plan(int me) {
  schedule::ScheduleBuilder builder;
  const BufRef incoming = builder.scratch(k_bytes);
  for (uint64_t at = 0; at < k_bytes; at += 256) {
    const BufRef mine{Slot::output, at, 256};
    schedule::TaskId ready = builder.copy({Slot::input, at, 256}, mine);
    if (me > 0)
      ready = builder.reduce(incoming.part(at, 256), mine,
                             {ready, builder.recv(Peer::rank(me - 1), incoming.part(at, 256))});
    if (me + 1 < k_ranks) builder.send(Peer::rank(me + 1), mine, ready);
  }
  return *Plan::make(*std::move(builder).finish(), {});
}

class World {
 public:
  explicit World(WaitPolicy policy) {
    for (int r = 0; r < k_ranks; ++r) {
      transport::Endpoint& endpoint = fabric_.endpoint(r);
      engines_[static_cast<size_t>(r)] =
          std::make_unique<CpuEngine>(engine::Ports{.networks = {&endpoint}, .local = &endpoint}, policy);
      plans_[static_cast<size_t>(r)] = make_plan(r);
    }
  }

  /// False when an operation failed.
  bool run() {
    std::array<Operation*, k_ranks> operations;
    for (size_t r = 0; r < k_ranks; ++r) {
      auto started = engines_[r]->start(
          *plans_[r],
          {.input = input_.data(), .output = output_[r].data(), .reducer = &reducer_, .tag = tag_});
      if (!started) return false;
      operations[r] = *started;
    }
    for (bool is_done = false; !is_done;) {
      is_done = true;
      for (size_t r = 0; r < k_ranks; ++r) {
        engines_[r]->progress();
        is_done = is_done && operations[r]->is_done();
      }
    }
    ++tag_;
    bool is_ok = true;
    for (size_t r = 0; r < k_ranks; ++r) is_ok = engines_[r]->wait(operations[r]).is_ok() && is_ok;
    return is_ok;
  }

 private:
  transport::LoopbackFabric fabric_{k_ranks, {.eager_bytes = 100, .waiting_count = 2}};
  std::array<std::unique_ptr<CpuEngine>, k_ranks> engines_;
  std::array<std::shared_ptr<const Plan>, k_ranks> plans_;
  ElementReducer<Sum> reducer_;
  std::vector<std::byte> input_ = std::vector<std::byte>(k_bytes, std::byte{1});
  std::array<std::array<std::byte, k_bytes>, k_ranks> output_{};
  transport::Tag tag_ = 0;
};

/// Exit status of a child that runs warm collectives, then `work`, without permission for system calls.
template <class Work>
int status_of_child(Work work) {
  const pid_t child = fork();
  if (child == 0) {
    World world(WaitPolicy::spin);
    for (int i = 0; i < 3; ++i)
      if (!world.run()) _exit(2);
    if (!forbid_system_calls()) _exit(k_no_seccomp);
    _exit(work(world) ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

TEST(QuietPath, RunsWithoutAllocation) {
  if (!AllocationCounter::is_available()) GTEST_SKIP() << "a sanitizer owns malloc";
  World world(WaitPolicy::spin);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(world.run());
  const AllocationCounter counter;
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(world.run());
  EXPECT_EQ(counter.count(), 0u);
}

TEST(QuietPath, TheCounterCounts) {
  if (!AllocationCounter::is_available()) GTEST_SKIP() << "a sanitizer owns malloc";
  const AllocationCounter counter;
  auto one = std::make_unique<std::vector<int>>(100);
  one->clear();
  EXPECT_EQ(counter.count(), 2u);
}

TEST(QuietPath, RunsWithoutSystemCalls) {
  if (k_is_sanitized) GTEST_SKIP() << "a sanitizer makes its own system calls";
  const int status = status_of_child([](World& world) {
    for (int i = 0; i < 1000; ++i)
      if (!world.run()) return false;
    return true;
  });
  if (WIFEXITED(status) && WEXITSTATUS(status) == k_no_seccomp) GTEST_SKIP() << "no seccomp filters here";
  EXPECT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(QuietPath, TheFilterKills) {
  const int status = status_of_child([](World&) {
    engine::Waiter(WaitPolicy::yield).idle();
    return true;
  });
  if (WIFEXITED(status) && WEXITSTATUS(status) == k_no_seccomp) GTEST_SKIP() << "no seccomp filters here";
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGSYS);
}

}  // namespace
}  // namespace tutti::test
