#include "engine/wait_policy.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <time.h>

#include <cstdint>
#include <thread>

namespace tutti::engine {
namespace {

using base::CpuShare;

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
  EXPECT_LT(load_of(Waiter(WaitPolicy::automatic, CpuShare::shared)), 0.6);
  EXPECT_LT(load_of(Waiter(WaitPolicy::automatic, CpuShare::crowded)), 0.6);
}

/// Naps in a wait of so many empty polls, the last of which ends it.
uint64_t naps_in(Waiter& waiter, int polls) {
  const uint64_t before = nap_count();
  for (int i = 0; i < polls; ++i) waiter.idle();
  waiter.busy();
  return nap_count() - before;
}

TEST(WaitPolicy, OnlyWhatSharesNaps) {
  for (const WaitPolicy policy : {WaitPolicy::spin, WaitPolicy::yield, WaitPolicy::automatic}) {
    Waiter waiter(policy, CpuShare::own);
    EXPECT_EQ(naps_in(waiter, 100'000), 0u) << to_string(policy);
  }
  Waiter spinning(WaitPolicy::spin, CpuShare::shared), yielding(WaitPolicy::yield, CpuShare::shared);
  EXPECT_EQ(naps_in(spinning, 100'000) + naps_in(yielding, 10'000), 0u) << "what was asked for stands";
  Waiter shared(WaitPolicy::automatic, CpuShare::shared);
  EXPECT_EQ(naps_in(shared, 34), 10u) << "after 20 polls and 4 yields";
}

TEST(WaitPolicy, OnACrowdedCoreOnlyLongWaitsNap) {
  Waiter waiter(WaitPolicy::automatic, CpuShare::crowded);
  const uint64_t start = monotonic_ns(), before = nap_count();
  while (nap_count() == before) waiter.idle();
  EXPECT_GE(monotonic_ns() - start, 1'000'000u);
  waiter.busy();
  EXPECT_EQ(naps_in(waiter, 400), 0u) << "the next wait spins anew";
}

TEST(WaitPolicy, SpinningAdaptsToWhatWaitsTake) {
  Waiter waiter(WaitPolicy::automatic, CpuShare::shared);
  for (int wait = 0; wait < 20; ++wait) naps_in(waiter, 19);
  EXPECT_EQ(naps_in(waiter, 38), 0u) << "waits of 19 polls: twice as many before the first yield";
  for (int wait = 0; wait < 20; ++wait) EXPECT_GT(naps_in(waiter, 100), 0u);
  EXPECT_EQ(naps_in(waiter, 11), 1u) << "waits that end in naps: 8 polls and 2 yields";
  for (int wait = 0; wait < 20; ++wait) naps_in(waiter, 10);
  EXPECT_EQ(naps_in(waiter, 11), 0u) << "and more again, where those are enough";
}

TEST(WaitPolicy, NapsGrowWithTheWait) {
  Waiter waiter(WaitPolicy::sleep);
  const uint64_t start = monotonic_ns();
  EXPECT_GE(naps_in(waiter, 120), 90u);
  EXPECT_GE(monotonic_ns() - start, 5'000'000u) << "100 naps of 20 µs would take 2 ms at least";
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
