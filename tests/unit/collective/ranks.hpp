#pragma once
// Ranks as threads that decide about their calls: the services that src/collective needs, on the loopback
// transport.

#include <atomic>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/settings.hpp"
#include "collective/collective_dispatcher.hpp"
#include "collective/process_context.hpp"
#include "collective/report.hpp"
#include "engine/inline_progress.hpp"
#include "engine/wait_policy.hpp"
#include "select/selector.hpp"
#include "tests/support/transport/loopback.hpp"
#include "topology/topology.hpp"

namespace tutti::test {

/// Forwards to an endpoint of the fabric, which owns it.
class BorrowedEndpoint final : public transport::Endpoint {
 public:
  explicit BorrowedEndpoint(transport::Endpoint& endpoint) : endpoint_(endpoint) {}
  base::Status send(transport::Peer to, transport::Tag tag, transport::ConstBytes data,
                    uint64_t cookie) override {
    return endpoint_.send(to, tag, data, cookie);
  }
  base::Status recv(transport::Peer from, transport::Tag tag, transport::Bytes data,
                    uint64_t cookie) override {
    return endpoint_.recv(from, tag, data, cookie);
  }
  size_t poll(std::span<transport::Completion> done) override { return endpoint_.poll(done); }
  void cancel(uint64_t cookie) override { endpoint_.cancel(cookie); }
  transport::Capabilities capabilities() const override { return endpoint_.capabilities(); }

 private:
  transport::Endpoint& endpoint_;
};

class LoopbackContext final : public collective::ProcessContext {
 public:
  LoopbackContext(transport::LoopbackFabric& fabric, int rank, collective::Options options)
      : fabric_(fabric), rank_(rank), options_(std::move(options)) {
    budget_.set_limit(uint64_t{1} << 20);
  }

  const collective::Options& options() const override { return options_; }
  collective::PlanBudget& plan_budget() override { return budget_; }
  collective::Report* report() override { return &report_; }
  void log_verbose(const std::string&) const override {}
  std::unique_ptr<transport::Endpoint> make_endpoint(transport::Space, std::span<const int>) override {
    return std::make_unique<BorrowedEndpoint>(fabric_.endpoint(rank_));
  }
  engine::Driver& agreement_driver() override { return is_stopping ? nobody_drives_ : progress_; }
  void drive_agreements() override { progress_.progress(); }
  void await_agreement(engine::Signal& end) override {
    engine::Waiter waiter(engine::WaitPolicy::sleep);
    while (!end.is_set())
      if (progress_.progress())
        waiter.busy();
      else
        waiter.idle();
  }
  select::CommonClock clock() const override { return {.offset_ns = 0, .error_ns = 0}; }
  bool has_agreements() const { return progress_.has_jobs(); }

  bool is_stopping = false;  // new agreements end no more

 private:
  transport::LoopbackFabric& fabric_;
  const int rank_;
  const collective::Options options_;
  collective::PlanBudget budget_;
  collective::Report report_;
  engine::InlineProgress progress_, nobody_drives_;
};

/// A communicator as the decisions see it: it counts its holders.
class CountedOwner final : public collective::RefCounted {
 public:
  void hold() override { ++holders_; }
  void release() override { --holders_; }
  int holders() const { return holders_; }

 private:
  std::atomic<int> holders_{0};
};

/// Agents that are there once they have been opened.
class AgentsToOpen final : public collective::AgentSource {
 public:
  void open_agents() override { ++openings; }
  uint64_t agent_bytes() override { return openings > 0 ? uint64_t{1} << 16 : 0; }
  bool may_have_agents() const override { return true; }

  int openings = 0;
};

/// One rank of a communicator of all ranks.
struct RankOfAll {
  RankOfAll(transport::LoopbackFabric& fabric, int own_rank, const topology::Topology& shape,
            const collective::Options& options, const char* setting = nullptr,
            collective::AgentSource* agents = nullptr, bool has_twin = true)
      : topology(shape),
        world_ranks(static_cast<size_t>(shape.rank_count())),
        process(fabric, own_rank, options),
        dispatcher(process,
                   {.id = 5,
                    .rank = own_rank,
                    .world_ranks = world_ranks,
                    .topology = &topology,
                    .owner = &owner,
                    .agents = agents,
                    .has_twin = has_twin},
                   rules_of(shape, setting, agents == nullptr ? "" : "nobody has come late")) {
    std::iota(world_ranks.begin(), world_ranks.end(), 0);
  }

  /// Under one setting, such as "TUTTI_BCAST=agent". Every node has an agent, or `no_agents` says why not.
  static std::shared_ptr<const select::CommunicatorRules> rules_of(const topology::Topology& shape,
                                                                   const char* setting,
                                                                   const char* no_agents) {
    std::vector<std::string> problems;
    const char* environment[] = {setting, nullptr};
    const base::Settings settings = base::Settings::from_environment(environment, &problems);
    select::Selector selector = select::Selector::from_settings(settings, {}, &problems);
    selector.set_no_agents(no_agents);
    return selector.for_communicator(shape);
  }

  const topology::Topology topology;
  std::vector<int> world_ranks;
  CountedOwner owner;
  LoopbackContext process;
  collective::CollectiveDispatcher dispatcher;
};

/// Runs `body(rank)` on a thread for each rank.
inline void on_all_ranks(int count, const std::function<void(int rank)>& body) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<size_t>(count));
  for (int rank = 0; rank < count; ++rank) threads.emplace_back(body, rank);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace tutti::test
