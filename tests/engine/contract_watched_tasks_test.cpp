// The contract of engine::Engine, for every engine: tasks that are watched.

#include "tests/engine/contract.hpp"

namespace tutti::test {
namespace {

class Watcher final : public engine::TaskWatcher {
 public:
  bool has_done(TaskId id) const override { return id == done; }
  void task_ended(TaskId id) override { ended.push_back(id); }

  TaskId done = schedule::k_no_task;
  std::vector<TaskId> ended;
};

template <class Maker>
class WatchedTasksOfEngines : public EngineContract<Maker> {};
TYPED_TEST_SUITE(WatchedTasksOfEngines, Engines);

TYPED_TEST(WatchedTasksOfEngines, WhatIsDoneAlreadyIsNotDoneAgain) {
  ScheduleBuilder builder;
  const TaskId copied = builder.copy(input(0, 8), output(0, 8));
  builder.send(Peer::rank(1), output(0, 8), copied);
  const auto plan = plan_of(builder);
  Watcher watcher;
  watcher.done = copied;
  const std::vector<std::byte> before = this->out_;
  Operation* const operation =
      this->start(*plan, {.input = this->in_.data(), .output = this->out_.data(), .watcher = &watcher});
  this->progress();
  EXPECT_EQ(this->network_.log(), "s1");
  EXPECT_EQ(this->out_, before);
  this->network_.end(0);
  EXPECT_TRUE(this->engine_->wait(operation));
  EXPECT_EQ(watcher.ended, (std::vector<TaskId>{0, 1}));
}

}  // namespace
}  // namespace tutti::test
