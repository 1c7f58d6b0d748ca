// Leader policy `first` (DESIGN §5; paper 000 §3, figures 9 and 10): on every node the first rank to arrive
// leads, so no node's network side waits for one particular process. Needs an endpoint that addresses nodes:
// loopback.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "algorithm/catalogue.hpp"
#include "collective/leader_election.hpp"
#include "engine/cpu_engine.hpp"
#include "tests/inprocess/reference.hpp"
#include "tests/model/situation.hpp"
#include "tests/support/operators.hpp"
#include "tests/support/patience.hpp"
#include "tests/support/shared_node.hpp"
#include "tests/support/transport/fault_endpoint.hpp"
#include "tests/support/transport/loopback.hpp"
#include "topology/topology.hpp"

namespace tutti::test {
namespace {

using algorithm::Algorithm;
using algorithm::Collective;
using algorithm::Request;
using schedule::Rank;
using topology::Topology;

constexpr uint64_t k_bytes = 3000;
constexpr uint64_t k_node_bytes = 1 << 20;

/// The shared state of the ranks of one node.
struct Node {
  std::unique_ptr<collective::LeaderQueue> leaders;
  std::unique_ptr<SharedNode> memory;
};

constexpr Rank k_ranks = 7;
constexpr uint64_t k_element_bytes = 12;

/// One rank: competes for the lead of its node, and carries out what follows from the outcome.
class RankThread {
 public:
  RankThread(Rank me, const Topology& topology, Node& node, transport::LoopbackFabric& fabric,
             bool has_faults)
      : me_(me),
        fabric_(fabric),
        election_(budget_, topology, me, node.leaders.get()),
        view_(*node.memory, static_cast<size_t>(topology.local_index(me))),
        faulty_(fabric.endpoint(me), has_faults ? transport::Faults{.seed = static_cast<uint64_t>(me) + 1,
                                                                    .refuse_percent = 20,
                                                                    .delay_percent = 20,
                                                                    .hold_percent = 20,
                                                                    .max_delay_polls = 5}
                                                : transport::Faults{}),
        engine_({.networks = {&faulty_}, .local = &faulty_, .node = &view_}, engine::WaitPolicy::sleep) {
    budget_.set_limit(1 << 20);
  }

  /// Carries out operation `sequence`. Returns whether this rank led its node.
  bool run(const Request& request, const algorithm::Choice& choice, uint32_t sequence,
           engine::Bindings bindings) {
    const auto outcome = election_.arrive(request, choice, sequence);
    EXPECT_TRUE(outcome) << outcome.status().message();
    if (!outcome) return false;
    if (outcome->is_leader) {
      const base::Status leads = fabric_.lead(me_, sequence);
      EXPECT_TRUE(leads) << leads.message();
    }
    bindings.tag = sequence;
    const base::Status status = engine_.run(*outcome->plan, bindings);
    EXPECT_TRUE(status) << status.message();
    fabric_.resign(me_, sequence);
    return outcome->is_leader;
  }

 private:
  const Rank me_;
  transport::LoopbackFabric& fabric_;
  collective::PlanBudget budget_;
  collective::LeaderElection election_;
  SharedNode::View view_;
  transport::FaultEndpoint faulty_;
  engine::CpuEngine engine_;
};

/// All ranks, on nodes {0, 1, 2}, {3, 4}, {5, 6}. `is_grouped`: the first two nodes are one group.
class Job {
 public:
  explicit Job(bool has_faults = false, bool is_grouped = false) : has_faults_(has_faults) {
    if (is_grouped) topology_ = topology_.with_groups(std::vector<int32_t>{0, 0, 1});
    for (int32_t n = 0; n < topology_.node_count(); ++n) {
      const size_t count = topology_.ranks_of(n).size();
      nodes_.push_back({std::make_unique<collective::LeaderQueue>(static_cast<uint32_t>(count)),
                        std::make_unique<SharedNode>(count, k_node_bytes)});
    }
  }

  const Topology& topology() const { return topology_; }

  /// One thread per rank: body(rank, thread).
  template <class Body>
  void on_every_rank(Body body) {
    std::vector<std::thread> threads;
    for (Rank r = 0; r < k_ranks; ++r)
      threads.emplace_back([&, r] {
        RankThread rank(r, topology_, nodes_[static_cast<size_t>(topology_.node_of(r))], fabric_,
                        has_faults_);
        body(r, rank);
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(fabric_.waiting_count(), 0u);
  }

 private:
  const bool has_faults_;
  Topology topology_ = *Topology::from_node_of_rank(std::vector<int32_t>{0, 0, 0, 1, 1, 2, 2});
  // Everything is buffered: a leader hands on and goes.
  transport::LoopbackFabric fabric_{std::vector<int32_t>{0, 0, 0, 1, 1, 2, 2},
                                    {.eager_bytes = 1 << 20, .waiting_count = 1000}};
  std::vector<Node> nodes_;
};

std::vector<std::byte> message_of(uint32_t sequence) {
  std::vector<std::byte> message(k_bytes);
  for (size_t i = 0; i < message.size(); ++i) message[i] = static_cast<std::byte>(i * 3 + sequence);
  return message;
}

bool broadcast(RankThread& rank, Rank root, uint32_t sequence, std::vector<std::byte>& data) {
  const auto choice = algorithm::parse_choice(
      Collective::bcast,
      sequence % 2 == 0 ? "hierarchical:segment=1K" : "hierarchical:inter=knomial:intra=shared");
  return rank.run(
      {.collective = Collective::bcast, .rank_count = k_ranks, .root = root, .bytes = data.size()}, *choice,
      sequence, {.output = data.data()});
}

class FirstLeader : public testing::Test {
 protected:
  Job job_;
};

TEST_F(FirstLeader, BroadcastsArriveInWhateverOrderTheRanksCome) {
  constexpr uint32_t k_rounds = 60;
  std::array<std::array<std::atomic<int>, k_rounds>, 3> leaders{};  // [node][round]
  std::array<std::atomic<int>, k_ranks> times_led{};
  job_.on_every_rank([&](Rank me, RankThread& rank) {
    std::mt19937 random(static_cast<unsigned>(me));
    for (uint32_t round = 0; round < k_rounds; ++round) {
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
      const Rank root = static_cast<Rank>(round) % k_ranks;
      std::vector<std::byte> data = me == root ? message_of(round) : std::vector<std::byte>(k_bytes);
      if (broadcast(rank, root, round, data)) {
        ++leaders[static_cast<size_t>(job_.topology().node_of(me))][round];
        ++times_led[static_cast<size_t>(me)];
      }
      EXPECT_TRUE(data == message_of(round)) << "rank " << me << ", round " << round;
    }
  });
  for (const auto& node : leaders)
    for (const std::atomic<int>& count : node) EXPECT_EQ(count, 1);
  for (const std::atomic<int>& count : times_led) EXPECT_GT(count, 0) << "arrival decides, not rank";
}

TEST_F(FirstLeader, NobodyWaitsForTheProcessThatAFixedPolicyWouldNeed) {
  // The first rank of each node but the root's comes when all others have left. Under policy `fixed` it would
  // be the leader, and its node could not get the message before.
  constexpr Rank k_early = 5;
  std::atomic<Rank> left{0};
  job_.on_every_rank([&](Rank me, RankThread& rank) {
    const bool is_late = me == 3 || me == 5;
    if (is_late) {
      support::Patience patience(30);
      while (left < k_early && !patience.is_over()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      EXPECT_GE(left, k_early) << "the others wait for rank " << me;
    }
    std::vector<std::byte> data = me == 0 ? message_of(1) : std::vector<std::byte>(k_bytes);
    const bool led = broadcast(rank, 0, 0, data);
    EXPECT_EQ(led, me == 0 || me == 4 || me == 6);
    EXPECT_TRUE(data == message_of(1)) << "rank " << me;
    ++left;
  });
}

/// One operation, as all ranks see it.
struct Step {
  algorithm::Choice choice;
  model::Situation situation;
  std::unique_ptr<model::Requests> requests;
  std::unique_ptr<engine::Reducer> reducer;
  std::vector<RankMemory> memory;
};

/// "hierarchical:inter=chain:segment=1K" for all that may stand between the nodes, cut into segments where it has any.
std::vector<algorithm::Choice> choices_of(const Algorithm& row) {
  std::string segment;
  std::vector<std::string> inter;
  for (const algorithm::Parameter& parameter : row.parameters) {
    if (parameter.name == "segment") segment = ":segment=1K";
    if (parameter.name != "inter") continue;
    for (const std::string_view choice : parameter.choices) inter.push_back(":inter=" + std::string(choice));
  }
  if (inter.empty()) inter.emplace_back();
  std::vector<algorithm::Choice> choices;
  for (const std::string& between : inter)
    choices.push_back(*algorithm::parse_choice(row.collective, std::string(row.name) + between + segment));
  return choices;
}

std::vector<model::Situation> situations_of(Collective collective) {
  std::vector<model::Situation> all;
  for (const uint64_t count : {uint64_t{1}, uint64_t{700}})
    for (const Rank root : {0, 4})
      for (const model::InPlace in_place : model::in_place_of(collective))
        for (const model::Layout layout : model::layouts_of(collective))
          all.push_back({.collective = collective,
                         .rank_count = k_ranks,
                         .root = algorithm::is_rooted(collective) ? root : 0,
                         .count = count,
                         .element_bytes = algorithm::is_reduction(collective) ? k_element_bytes : 1,
                         .in_place = in_place,
                         .layout = layout});
  return all;
}

std::vector<Step> steps_of(const Algorithm& row, const Topology& topology) {
  std::vector<Step> steps;
  for (const algorithm::Choice& choice : choices_of(row))
    for (const model::Situation& situation : situations_of(row.collective)) {
      Step step{.choice = choice,
                .situation = situation,
                .requests = std::make_unique<model::Requests>(situation),
                .reducer = make_reducer(situation.element_bytes, true),
                .memory = {}};
      std::string why_not;
      if (!row.applies(step.requests->every_rank()[0], topology, choice.parameters, &why_not)) continue;
      step.memory = make_memory(step.requests->every_rank(), step.reducer.get(), steps.size() + 1);
      steps.push_back(std::move(step));
    }
  return steps;
}

std::vector<const Algorithm*> two_level_algorithms() {
  std::vector<const Algorithm*> rows;
  for (const Algorithm* row : algorithm::catalogue())
    if (row->name == "hierarchical") rows.push_back(row);
  return rows;
}

class FirstLeaders : public testing::TestWithParam<std::tuple<const Algorithm*, bool, bool>> {};

TEST_P(FirstLeaders, GiveTheReferenceResultWhoeverComesFirst) {
  const auto [row, has_faults, is_grouped] = GetParam();
  Job job(has_faults, is_grouped);
  const std::vector<Step> steps = steps_of(*row, job.topology());
  EXPECT_GE(steps.size(), 2 * choices_of(*row).size());
  job.on_every_rank([&](Rank me, RankThread& rank) {
    std::mt19937 random(static_cast<unsigned>(me) + 1);
    for (size_t n = 0; n < steps.size() && !testing::Test::HasFailure(); ++n) {
      if (random() % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 500));
      const Step& step = steps[n];
      const RankMemory& mine = step.memory[static_cast<size_t>(me)];
      std::vector<std::byte> output = mine.output;
      rank.run(step.requests->every_rank()[static_cast<size_t>(me)], step.choice, static_cast<uint32_t>(n),
               {.input = mine.input.data(), .output = output.data(), .reducer = step.reducer.get()});
      EXPECT_TRUE(output == mine.expected)
          << "rank " << me << ": " << algorithm::to_string(step.choice) << ", " << describe(step.situation);
    }
  });
}

std::string name_of(const testing::TestParamInfo<FirstLeaders::ParamType>& one) {
  const auto [row, has_faults, is_grouped] = one.param;
  return std::string(to_string(row->collective)) + (has_faults ? "_with_faults" : "") +
         (is_grouped ? "_with_groups" : "");
}

INSTANTIATE_TEST_SUITE_P(TwoLevels, FirstLeaders,
                         testing::Combine(testing::ValuesIn(two_level_algorithms()), testing::Bool(),
                                          testing::Bool()),
                         name_of);

}  // namespace
}  // namespace tutti::test
