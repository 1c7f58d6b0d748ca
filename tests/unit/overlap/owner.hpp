#pragma once
// What tests of guards share: a thread that brings the data, and mechanisms that are there.

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

/// Of every mechanism.
class EveryMechanism : public testing::TestWithParam<Mechanism> {
 protected:
  void SetUp() override {
    const base::Status& works = availability(GetParam());
    if (!works) GTEST_SKIP() << works.message();
  }
};

std::string name_of(const testing::TestParamInfo<Mechanism>& info);

}  // namespace tutti::overlap::guard::test
