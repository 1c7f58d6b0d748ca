// The contract of engine::Engine, for every engine: what fails.

#include <algorithm>
#include <string>

#include "tests/engine/contract.hpp"

namespace tutti::test {
namespace {

template <class Maker>
class FailuresOfEngines : public EngineContract<Maker> {};
TYPED_TEST_SUITE(FailuresOfEngines, Engines);

TYPED_TEST(FailuresOfEngines, AnErrorStopsNewTasksAndWaitsForTransfersInFlight) {
  ScheduleBuilder builder;
  const TaskId arrived = builder.recv(Peer::rank(1), output(0, 8));
  builder.send(Peer::rank(2), input(0, 8));
  builder.send(Peer::rank(3), output(0, 8), arrived);
  builder.copy(output(0, 8), output(8, 8), arrived);
  const auto plan = plan_of(builder);
  const std::vector<std::byte> before = this->out_;
  Operation* const operation = this->start(*plan, {.input = this->in_.data(), .output = this->out_.data()});
  EXPECT_EQ(this->network_.log(), "r1 s2");
  this->network_.end(0, Code::mpi, 15);
  this->progress();
  EXPECT_FALSE(operation->is_done()) << "a send is still in flight";
  this->network_.end(1, Code::mpi, 16);
  this->progress();
  ASSERT_TRUE(operation->is_done());
  EXPECT_EQ(operation->status().code(), Code::mpi);
  EXPECT_EQ(operation->status().native(), 15) << "the first error counts";
  EXPECT_NE(operation->status().message().find("rank 1"), std::string::npos);
  EXPECT_EQ(this->network_.log(), "r1 s2") << "nothing was started after the error";
  EXPECT_EQ(this->out_, before);
  this->engine_->release(operation);
}

/// Otherwise the ranks that wait for what comes after it would wait for ever.
TYPED_TEST(FailuresOfEngines, AMessageOfAnotherLengthIsReportedAtTheEnd) {
  ScheduleBuilder builder;
  const TaskId arrived = builder.recv(Peer::rank(1), output(0, 8));
  builder.send(Peer::rank(3), output(0, 8), arrived);
  const auto plan = plan_of(builder);
  Operation* const operation = this->start(*plan, {.input = this->in_.data(), .output = this->out_.data()});
  this->network_.end(0, Code::invalid_argument);
  this->progress();
  EXPECT_EQ(this->network_.log(), "r1 s3");
  EXPECT_FALSE(operation->is_done());
  this->network_.end(1);
  this->progress();
  ASSERT_TRUE(operation->is_done());
  EXPECT_EQ(operation->status().code(), Code::invalid_argument);
  EXPECT_NE(operation->status().message().find("rank 1"), std::string::npos);
  this->engine_->release(operation);
}

TYPED_TEST(FailuresOfEngines, ATransferThatCannotStartIsAnError) {
  this->network_.answer = [](const ScriptedEndpoint::Call&) { return Status{Code::mpi, "no such rank", 6}; };
  ScheduleBuilder builder;
  builder.send(Peer::rank(9), input(0, 8));
  builder.send(Peer::rank(8), input(0, 8));
  const auto plan = plan_of(builder);
  const Status status = this->engine_->run(*plan, {.input = this->in_.data()});
  EXPECT_EQ(status.code(), Code::mpi);
  EXPECT_EQ(status.native(), 6);
  EXPECT_NE(status.message().find("no such rank"), std::string::npos);
}

TYPED_TEST(FailuresOfEngines, AFailedOperationCancelsItsTransfersAndEndsWithTheLastOfThem) {
  ScheduleBuilder builder;
  for (uint64_t i = 0; i < 3; ++i) builder.recv(Peer::rank(1), output(8 * i, 8));
  builder.send(Peer::rank(2), input(0, 8));
  const auto plan = plan_of(builder, {.window = 3});
  for (const size_t failing : {0, 1, 3}) {
    this->network_.calls.clear();
    this->network_.cancelled.clear();
    Operation* const failed = this->start(*plan, {.input = this->in_.data(), .output = this->out_.data()});
    ASSERT_EQ(this->network_.log(), "r1 r1 r1 s2");
    this->network_.end(2);  // out of order, and well
    this->progress();
    this->network_.end(failing, Code::system, 104);
    this->progress();
    std::vector<size_t> left;
    for (size_t call = 0; call < 4; ++call) {
      const bool is_in_flight = call != 2 && call != failing;
      EXPECT_EQ(this->network_.was_cancelled(call), is_in_flight) << call;
      if (is_in_flight) left.push_back(call);
    }
    EXPECT_FALSE(failed->is_done()) << "the endpoint may still write into the buffers";
    this->network_.end(left[0], Code::system, ECANCELED);
    this->progress();
    EXPECT_FALSE(failed->is_done());
    this->network_.end(left[1]);  // a transfer may end well although it was cancelled
    const Status status = this->engine_->wait(failed);
    EXPECT_EQ(status.native(), 104) << "the first error counts";
  }
}

TYPED_TEST(FailuresOfEngines, WhatCannotStartCancelsWhatHasStarted) {
  this->network_.answer = [](const ScriptedEndpoint::Call& call) {
    return call.peer.index == 9 ? Status{Code::mpi, "no such rank", 6} : Status{};
  };
  ScheduleBuilder builder;
  const TaskId arrived = builder.recv(Peer::rank(1), output(0, 8));
  builder.recv(Peer::rank(2), output(8, 8));
  builder.send(Peer::rank(9), output(0, 8), arrived);
  const auto plan = plan_of(builder);
  Operation* const failed = this->start(*plan, {.output = this->out_.data()});
  this->network_.end(0);
  this->progress();
  EXPECT_FALSE(this->network_.was_cancelled(0));
  EXPECT_TRUE(this->network_.was_cancelled(1));
  EXPECT_FALSE(failed->is_done());
  this->network_.end(1, Code::system, ECANCELED);
  EXPECT_EQ(this->engine_->wait(failed).native(), 6);
}

TYPED_TEST(FailuresOfEngines, NodeMemoryIsGivenBackAfterAnErrorToo) {
  ScheduleBuilder builder;
  builder.recv(Peer::rank(1), builder.node(64));
  const auto plan = plan_of(builder);
  Operation* const operation = this->start(*plan, {});
  this->network_.end(0, Code::mpi, 1);
  EXPECT_FALSE(this->engine_->wait(operation));
  EXPECT_EQ(this->node_.ended_count, 1u);
}

}  // namespace
}  // namespace tutti::test
