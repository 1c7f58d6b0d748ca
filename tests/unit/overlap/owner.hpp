#pragma once
// Shared by tests of guards: a thread that delivers the data, and the available mechanisms.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>

#include <gtest/gtest.h>

#include "overlap/guard/guard.hpp"

namespace tutti::overlap::guard::test {

inline constexpr uint64_t k_page = 4096;

/// Carries out what it is given, one after the other, as the owner of closed pages.
class Owner {
 public:
  Owner();
  ~Owner();
  void later(std::function<void()> work);
  /// Until all that has been given is done.
  void drain();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<std::function<void()>> work_;
  size_t left_ = 0;
  bool is_ending_ = false;
  std::thread thread_;
};

/// So long that what is tested would happen before, if nothing made it wait.
void pause_shortly();

#if defined(__SANITIZE_THREAD__)
#define TUTTI_UNDER_TSAN true
#elif defined(__has_feature)
#define TUTTI_UNDER_TSAN __has_feature(thread_sanitizer)
#else
#define TUTTI_UNDER_TSAN false
#endif

/// Runs for every mechanism.
class EveryMechanism : public testing::TestWithParam<Mechanism> {
 protected:
  void SetUp() override {
    const base::Status& works = availability(GetParam());
    if (!works) GTEST_SKIP() << works.message();
    // The sanitizer notes an access before it is made, so it takes one that waits for the key for one that has not
    // waited. The other mechanisms bring data by the kernel or in the thread that waits.
    if (TUTTI_UNDER_TSAN && GetParam() == Mechanism::key)
      GTEST_SKIP() << "the thread sanitizer cannot see the waiting";
  }
};

std::string name_of(const testing::TestParamInfo<Mechanism>& info);

}  // namespace tutti::overlap::guard::test
