#include "engine/wait_policy.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <time.h>

#include <cstdint>
#include <thread>

namespace tutti::engine {
namespace {

TEST(WaitPolicy, NamesAreReadBack) {
  for (const WaitPolicy policy :
       {WaitPolicy::spin, WaitPolicy::yield, WaitPolicy::sleep, WaitPolicy::automatic}) {
    WaitPolicy read = WaitPolicy::spin;
    EXPECT_TRUE(from_string(to_string(policy), &read));
    EXPECT_EQ(read, policy);
  }
  WaitPolicy untouched = WaitPolicy::yield;
  EXPECT_FALSE(from_string("spinn", &untouched));
  EXPECT_FALSE(from_string("", &untouched));
  EXPECT_EQ(untouched, WaitPolicy::yield);
}

uint64_t thread_cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
}

uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
}

/// The part of the time that a thread keeps a core busy while it waits for 50 ms.
double load_of(Waiter waiter) {
  const uint64_t cpu = thread_cpu_ns(), start = monotonic_ns();
  while (monotonic_ns() - start < 50'000'000) waiter.idle();
  return static_cast<double>(thread_cpu_ns() - cpu) / static_cast<double>(monotonic_ns() - start);
}

TEST(WaitPolicy, NappingLeavesTheCoreToOthers) {
  EXPECT_LT(load_of(Waiter(WaitPolicy::sleep)), 0.6);
  EXPECT_LT(load_of(Waiter(WaitPolicy::automatic, 100'000)), 0.6) << "more ranks than any machine has cores";
}

TEST(WaitPolicy, ActivityEndsTheNaps) {
  Waiter waiter(WaitPolicy::sleep);
  for (int i = 0; i < 100; ++i) waiter.idle();
  waiter.busy();
  const uint64_t start = monotonic_ns();
  for (int i = 0; i < 5; ++i) waiter.idle();
  EXPECT_LT(monotonic_ns() - start, 5 * 20'000u) << "five polls after an event do not nap";
}

TEST(WaitPolicy, NapsSetTheThreadsTimerSlackOnce) {
  std::thread([] {
    prctl(PR_SET_TIMERSLACK, 50'000UL, 0UL, 0UL, 0UL);
    Waiter waiter(WaitPolicy::sleep);
    for (int i = 0; i < 30; ++i) waiter.idle();
    EXPECT_EQ(prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL), 1000);
    prctl(PR_SET_TIMERSLACK, 7000UL, 0UL, 0UL, 0UL);  // what a program chooses later stays
    for (int i = 0; i < 30; ++i) waiter.idle();
    EXPECT_EQ(prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL), 7000);
  }).join();
}

}  // namespace
}  // namespace tutti::engine
