// Tests what a call that returns early does with the program's buffers before it returns.

#include "overlap/early_return_job.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "overlap/guard/unit.hpp"

namespace tutti::overlap {
namespace {

using schedule::Peer;
using schedule::Schedule;
using schedule::ScheduleBuilder;
using schedule::Slot;
using schedule::TaskId;

constexpr uint64_t k_block = 300'000;

class SomeJob final : public EarlyReturnJob {
 public:
  void ended(const base::Status&) override {
    open();
    release_hold();
  }

 private:
  ~SomeJob() override = default;
};

/// Runs on this rank alone; nothing is sent or received.
class EarlyReturnJobTest : public testing::Test {
 protected:
  EarlyReturnJobTest() {
    input_.fill(std::byte{7});
    output_.fill(std::byte{1});
    job_->hold();
  }
  ~EarlyReturnJobTest() override {
    job_->ended({});
    job_->release_hold();
  }

  /// Uses the first mechanism that this machine has.
  void step_aside(ScheduleBuilder builder) {
    schedule_ = *std::move(builder).finish();
    ASSERT_TRUE(job_->step_aside(schedule_, &bound_, {}, guard::k_mechanisms));
  }

  Schedule schedule_;
  SomeJob* const job_ = new SomeJob;
  static inline std::array<std::byte, 2 * k_block> input_;
  static inline std::array<std::byte, 4 * k_block> output_;
  engine::Bindings bound_{.input = input_.data(), .output = output_.data()};
};

TEST_F(EarlyReturnJobTest, TheOwnBlockIsThereAtOnceAndStaysOpen) {
  ScheduleBuilder builder;
  const TaskId own = builder.copy({Slot::input, 0, k_block}, {Slot::output, 0, k_block});
  const TaskId received = builder.recv(Peer::rank(1), {Slot::output, k_block, k_block});
  step_aside(std::move(builder));
  EXPECT_TRUE(bound_.watcher->has_done(own));
  EXPECT_FALSE(bound_.watcher->has_done(received));
  const auto shares_no_unit = output_.begin() + k_block - guard::unit_bytes();
  EXPECT_TRUE(std::all_of(output_.begin(), shares_no_unit, [](std::byte b) { return b == std::byte{7}; }));
  bound_.watcher->task_ended(own);
  EXPECT_FALSE(job_->may_return().is_set()) << "the tail is not there";
  bound_.watcher->task_ended(received);
  EXPECT_TRUE(job_->may_return().is_set());
}

TEST_F(EarlyReturnJobTest, ACopyThatWaitsForOthersIsLeftToThem) {
  ScheduleBuilder builder;
  const TaskId arrived = builder.recv(Peer::rank(1), {Slot::output, k_block, k_block});
  const TaskId copied = builder.copy({Slot::input, 0, k_block}, {Slot::output, 0, k_block}, arrived);
  step_aside(std::move(builder));
  EXPECT_FALSE(bound_.watcher->has_done(copied));
  EXPECT_EQ(bound_.input[k_block - 1], std::byte{7});
}

TEST_F(EarlyReturnJobTest, WhatIsSentKeepsItsBytes) {
  ScheduleBuilder builder;
  builder.send(Peer::rank(1), {Slot::input, k_block, k_block});
  step_aside(std::move(builder));
  std::ranges::fill(input_, std::byte{9});
  EXPECT_TRUE(std::all_of(bound_.input + k_block, bound_.input + 2 * k_block,
                          [](std::byte b) { return b == std::byte{7}; }));
  EXPECT_TRUE(job_->may_return().is_set());
}

/// Another thread's message from there must not wait for the collective.
TEST_F(EarlyReturnJobTest, WhatLiesInAGapIsNotWritten) {
  ScheduleBuilder builder;
  builder.recv(Peer::rank(1), {Slot::output, 2 * k_block, k_block});
  builder.recv(Peer::rank(1), {Slot::output, 0, k_block});
  step_aside(std::move(builder));
  EXPECT_TRUE(job_->writes_to(output_.data()));
  EXPECT_TRUE(job_->writes_to(output_.data() + k_block - 1));
  EXPECT_FALSE(job_->writes_to(output_.data() + k_block));
  EXPECT_FALSE(job_->writes_to(output_.data() + 2 * k_block - 1));
  EXPECT_TRUE(job_->writes_to(output_.data() + 3 * k_block - 1));
  EXPECT_FALSE(job_->writes_to(output_.data() + 3 * k_block));
  EXPECT_FALSE(job_->writes_to(input_.data()));
}

TEST_F(EarlyReturnJobTest, WhatIsSentMayLieAmongWhatIsReceived) {
  ScheduleBuilder builder;
  builder.recv(Peer::rank(1), {Slot::output, 0, k_block});
  builder.recv(Peer::rank(1), {Slot::output, 2 * k_block, k_block});
  builder.send(Peer::rank(1), {Slot::input, 0, k_block});
  bound_.input = output_.data() + k_block;
  step_aside(std::move(builder));
  EXPECT_EQ(bound_.input[0], std::byte{1});
  EXPECT_EQ(bound_.input[k_block - 1], std::byte{1});
}

}  // namespace
}  // namespace tutti::overlap
