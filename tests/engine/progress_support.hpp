#pragma once
// Jobs for the tests of progress: some that move data between ranks, and some on an engine that does as it is
// told.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "engine/job.hpp"
#include "engine/progress_thread.hpp"
#include "engine/signal.hpp"
#include "tests/engine/contract.hpp"
#include "tests/support/transport/loopback.hpp"

namespace tutti::test {

class WaitingJob final : public engine::Job {
 public:
  void ended(const Status& with) override {
    status = with;
    signal.set();
  }
  Status status;
  engine::Signal signal;
};

/// Ranks on one loopback network, one engine each, and collectives in which every rank sends its bytes to the
/// next.
struct Ring {
  static constexpr size_t k_bytes = 3000;

  struct Round {
    std::vector<WaitingJob> jobs;
    std::vector<std::vector<std::byte>> in, out;

    void wait(engine::WaitPolicy policy) {
      for (WaitingJob& job : jobs) job.signal.wait(policy);
    }
    bool is_right() const {
      for (size_t r = 0; r < jobs.size(); ++r)
        if (!jobs[r].status || out[r] != in[(r + jobs.size() - 1) % jobs.size()]) return false;
      return true;
    }
  };

  explicit Ring(int rank_count) : fabric(rank_count, {.eager_bytes = 100, .waiting_count = 2}) {
    for (int r = 0; r < rank_count; ++r) {
      engines.push_back(
          MakeCpuEngine::make({.networks = {&fabric.endpoint(r)}, .local = &fabric.endpoint(r)}));
      ScheduleBuilder builder;
      for (uint64_t at = 0; at < k_bytes; at += 1000) {
        builder.send(Peer::rank((r + 1) % rank_count), input(at, 1000));
        builder.recv(Peer::rank((r + rank_count - 1) % rank_count), output(at, 1000));
      }
      plans.push_back(plan_of(builder));
    }
  }

  std::unique_ptr<Round> make_round(uint32_t tag) const {
    auto round = std::make_unique<Round>();
    round->jobs = std::vector<WaitingJob>(engines.size());
    for (size_t r = 0; r < engines.size(); ++r) {
      round->in.push_back(numbered(k_bytes, tag + static_cast<unsigned>(r)));
      round->out.emplace_back(k_bytes);
    }
    for (size_t r = 0; r < engines.size(); ++r) {
      WaitingJob& job = round->jobs[r];
      job.engine = engines[r].get();
      job.plan = plans[r].get();
      job.bindings = {.input = round->in[r].data(), .output = round->out[r].data(), .tag = tag};
    }
    return round;
  }

  transport::LoopbackFabric fabric;
  std::vector<std::unique_ptr<Engine>> engines;
  std::vector<std::shared_ptr<const Plan>> plans;
};

/// An engine whose operations end at once, or when the test says so.
class EndlessEngine final : public Engine {
 public:
  base::Result<Operation*> start(const Plan&, const Bindings&) override {
    ++started_count;
    return &operation_;
  }
  bool progress() override {
    ++polled_count;
    return false;
  }
  void release(Operation*) override {}
  Status wait(Operation*) override { return {}; }

  bool ends_at_once = false;
  bool awaits_event = false;  // as its operations do
  std::atomic<bool> may_end{false};
  std::atomic<size_t> started_count{0};
  std::atomic<size_t> polled_count{0};

 private:
  class Answer final : public Operation {
   public:
    explicit Answer(const EndlessEngine& engine) : engine_(engine) {}
    bool is_done() const override { return engine_.ends_at_once || engine_.may_end; }
    const Status& status() const override { return status_; }
    bool awaits_event() const override { return engine_.awaits_event; }

   private:
    const EndlessEngine& engine_;
    const Status status_;
  };
  Answer operation_{*this};
};

class LambdaJob final : public engine::Job {
 public:
  LambdaJob(Engine* on, std::function<void(engine::Job*)> then) : then_(std::move(then)) {
    ScheduleBuilder builder;
    nothing_ = plan_of(builder);
    engine = on;
    plan = nothing_.get();
  }
  bool is_ready() override { return ready; }
  void ended(const Status&) override {
    const auto then = then_;  // may delete this
    then(this);
  }

  bool ready = true;

 private:
  std::function<void(engine::Job*)> then_;
  std::shared_ptr<const Plan> nothing_;
};

inline std::unique_ptr<engine::ProgressThread> start_thread(const engine::ProgressOptions& options = {}) {
  auto thread = engine::ProgressThread::start(options);
  EXPECT_TRUE(thread) << thread.status().message();
  return std::move(*thread);
}

}  // namespace tutti::test
