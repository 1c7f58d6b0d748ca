#include "tests/inprocess/world.hpp"

#include <algorithm>
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

/// One rank's thread.
class RankRun {
 public:
  RankRun(Rank me, const Plan& plan, LoopbackFabric& fabric, SharedNode& node, size_t member,
          const RunOptions& options)
      : me_(me), plan_(plan), fabric_(fabric), view_(node, member), options_(options) {
    transport::Endpoint* endpoint = &fabric.endpoint(me);
    if (options.faults) {
      transport::Faults faults = *options.faults;
      faults.seed = faults.seed * 1000 + static_cast<uint64_t>(me);
      if (options.failing_rank >= 0 && options.failing_rank != me) faults.failing_transfer = 0;
      endpoint = &faulty_.emplace(*endpoint, faults);
    }
    engine_ = std::make_unique<CpuEngine>(
        engine::Ports{.network = endpoint, .local = endpoint, .node = &view_}, WaitPolicy::sleep);
  }

  void run(const RankMemory& memory, const engine::Reducer* reducer,
           std::vector<std::vector<std::byte>*> outputs) {
    std::vector<Operation*> operations;
    for (size_t round = 0; round < outputs.size(); ++round) {
      const auto tag = static_cast<transport::Tag>(round);
      if (plan_.addresses(Peer::Kind::node)) keep(fabric_.lead(me_, tag));
      auto started = engine_->start(
          plan_,
          {.input = memory.input.data(), .output = outputs[round]->data(), .reducer = reducer, .tag = tag});
      keep(started.status());
      if (started) operations.push_back(*started);
      if (!options_.overlaps) finish(operations);
    }
    finish(operations);
  }

  const Status& status() const { return status_; }
  bool timed_out() const { return timed_out_; }

 private:
  void keep(const Status& status) {
    if (status || !status_) return;
    status_ = status;
    fabric_.fail();  // as when a process dies: the others learn of it
  }

  void finish(std::vector<Operation*>& operations) {
    engine::Waiter waiter(WaitPolicy::sleep);
    support::Patience patience(k_patience_s);
    while (!std::ranges::all_of(operations, &Operation::is_done)) {
      if (engine_->progress())
        waiter.busy();
      else
        waiter.idle();
      if (timed_out_ || !patience.is_over()) continue;
      timed_out_ = true;
      fabric_.fail();
    }
    for (Operation* operation : operations) {
      keep(operation->status());
      engine_->release(operation);
    }
    operations.clear();
  }

  const Rank me_;
  const Plan& plan_;
  LoopbackFabric& fabric_;
  SharedNode::View view_;
  const RunOptions& options_;
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
