#include "tests/inprocess/world.hpp"

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

#include "engine/cpu_engine.hpp"
#include "tests/support/patience.hpp"
#include "tests/support/shared_node.hpp"

namespace tutti::test {

using base::Status;
using engine::CpuEngine;
using engine::Operation;
using engine::Plan;
using engine::WaitPolicy;
using schedule::Peer;
using schedule::Rank;
using transport::FaultEndpoint;
using transport::LoopbackFabric;

namespace {

constexpr uint64_t k_patience_s = 60;

using Plans = std::span<const std::shared_ptr<const Plan>>;

std::vector<int32_t> nodes_of(const topology::Topology& topology) {
  std::vector<int32_t> nodes;
  for (Rank r = 0; r < topology.rank_count(); ++r) nodes.push_back(topology.node_of(r));
  return nodes;
}

std::vector<std::unique_ptr<SharedNode>> make_nodes(const topology::Topology& topology, Plans plans) {
  std::vector<std::unique_ptr<SharedNode>> nodes;
  for (int32_t n = 0; n < topology.node_count(); ++n) {
    const auto ranks = topology.ranks_of(n);
    const uint64_t bytes = plans[static_cast<size_t>(ranks.front())]->schedule().node_bytes();
    nodes.push_back(std::make_unique<SharedNode>(ranks.size(), bytes));
  }
  return nodes;
}

/// The buffers that an operation still lacks, and the number of progress rounds until they are bound.
class LateSlots {
 public:
  LateSlots(const std::optional<LateBinding>& late, std::mt19937_64& random) {
    if (!late) return;
    for (uint32_t* rounds : {&rounds_before_input_, &rounds_before_output_})
      if (random() % 3 != 0) *rounds = 1 + static_cast<uint32_t>(random() % late->max_rounds);
  }
  bool lacks_input() const { return rounds_before_input_ > 0; }
  bool lacks_output() const { return rounds_before_output_ > 0; }
  void pass_round(Operation& operation, const std::byte* input, std::byte* output) {
    if (lacks_input() && --rounds_before_input_ == 0) operation.bind_input(input);
    if (lacks_output() && --rounds_before_output_ == 0) operation.bind_output(output);
  }

 private:
  uint32_t rounds_before_input_ = 0, rounds_before_output_ = 0;
};

/// One rank's thread.
class RankRun {
 public:
  RankRun(Rank me, const Plan& plan, LoopbackFabric& fabric, SharedNode& node, size_t member,
          const RunOptions& options)
      : me_(me),
        plan_(plan),
        fabric_(fabric),
        view_(node, member),
        options_(options),
        random_(1000 * (options.late ? options.late->seed : 0) + static_cast<uint64_t>(me)) {
    transport::Endpoint* endpoint = &fabric.endpoint(me);
    if (options.faults) {
      transport::Faults faults = *options.faults;
      faults.seed = faults.seed * 1000 + static_cast<uint64_t>(me);
      if (options.failing_rank >= 0 && options.failing_rank != me) faults.failing_transfer = 0;
      endpoint = &faulty_.emplace(*endpoint, faults);
    }
    engine_ = std::make_unique<CpuEngine>(
        engine::Ports{.networks = {endpoint}, .local = endpoint, .node = &view_}, WaitPolicy::sleep);
  }

  void run(const RankMemory& memory, const engine::Reducer* reducer,
           std::vector<std::vector<std::byte>*> outputs) {
    std::vector<Running> running;
    for (size_t round = 0; round < outputs.size(); ++round) {
      const auto tag = static_cast<transport::Tag>(round);
      if (plan_.addresses(Peer::Kind::node)) keep(fabric_.lead(me_, tag));
      const LateSlots late(options_.late, random_);
      const std::byte* const input = memory.input.data();
      std::byte* const output = outputs[round]->data();
      auto started = engine_->start(plan_, {.input = late.lacks_input() ? nullptr : input,
                                            .output = late.lacks_output() ? nullptr : output,
                                            .reducer = reducer,
                                            .tag = tag,
                                            .is_input_late = late.lacks_input(),
                                            .is_output_late = late.lacks_output()});
      keep(started.status());
      if (started) running.push_back({*started, input, output, late});
      if (!options_.overlaps) finish(running);
    }
    finish(running);
  }

  const Status& status() const { return status_; }
  bool timed_out() const { return timed_out_; }

 private:
  void keep(const Status& status) {
    if (status || !status_) return;
    status_ = status;
    fabric_.fail();  // as when a process dies: the others learn of it
  }

  struct Running {
    Operation* operation;
    const std::byte* input;
    std::byte* output;
    LateSlots late;
    bool is_done() const { return operation->is_done(); }
  };

  void finish(std::vector<Running>& running) {
    engine::Waiter waiter(WaitPolicy::sleep);
    support::Patience patience(k_patience_s);
    while (!std::ranges::all_of(running, &Running::is_done)) {
      if (engine_->progress())
        waiter.busy();
      else
        waiter.idle();
      for (Running& one : running)
        if (!one.is_done()) one.late.pass_round(*one.operation, one.input, one.output);
      if (timed_out_ || !patience.is_over()) continue;
      timed_out_ = true;
      fabric_.fail();
    }
    for (const Running& one : running) {
      keep(one.operation->status());
      engine_->release(one.operation);
    }
    running.clear();
  }

  const Rank me_;
  const Plan& plan_;
  LoopbackFabric& fabric_;
  SharedNode::View view_;
  const RunOptions& options_;
  std::mt19937_64 random_;
  std::optional<FaultEndpoint> faulty_;
  std::unique_ptr<CpuEngine> engine_;
  Status status_;
  bool timed_out_ = false;
};

}  // namespace

RunResult run_ranks(Plans plans, const topology::Topology& topology, std::span<const RankMemory> memory,
                    const engine::Reducer* reducer, const RunOptions& options) {
  LoopbackFabric fabric(nodes_of(topology), options.fabric);
  const auto nodes = make_nodes(topology, plans);
  RunResult result;
  result.outputs.resize(options.rounds);
  for (auto& round : result.outputs)
    for (const RankMemory& mine : memory) round.push_back(mine.output);

  std::vector<std::unique_ptr<RankRun>> runs;
  for (Rank r = 0; r < topology.rank_count(); ++r)
    runs.push_back(std::make_unique<RankRun>(r, *plans[static_cast<size_t>(r)], fabric,
                                             *nodes[static_cast<size_t>(topology.node_of(r))],
                                             static_cast<size_t>(topology.local_index(r)), options));
  std::vector<std::thread> threads;
  for (size_t r = 0; r < runs.size(); ++r) {
    std::vector<std::vector<std::byte>*> outputs;
    for (auto& round : result.outputs) outputs.push_back(&round[r]);
    threads.emplace_back(
        [&run = *runs[r], &mine = memory[r], reducer, outputs] { run.run(mine, reducer, outputs); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& run : runs) {
    result.statuses.push_back(run->status());
    result.timed_out = result.timed_out || run->timed_out();
  }
  result.left_behind = fabric.waiting_count();
  return result;
}

}  // namespace tutti::test
