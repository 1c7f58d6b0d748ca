#include "offload/model/simulation.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "offload/nic/operators.hpp"
#include "offload/rounds.hpp"
#include "tests/support/sanitizer.hpp"

namespace tutti::offload::model {
namespace {

Parameters parameters(const char* name = "default") {
  return load_parameters(name).value();
}

Workload workload(uint32_t nodes, uint32_t radix) {
  Workload made;
  made.nodes = nodes;
  made.radix = radix;
  made.shape = radix % 2 == 1 ? pattern::DisseminationShape::symmetric : pattern::DisseminationShape::forward;
  return made;
}

arrival::Pattern arrivals(const char* text) {
  return arrival::parse_pattern(text).value();
}

void expect_sound(const RunResult& result, const Workload& of) {
  EXPECT_EQ(result.early, 0u);
  EXPECT_EQ(result.differing, 0u);
  EXPECT_EQ(result.engines.strays, 0u);
  for (const CollectiveRecord& record : result.records) EXPECT_EQ(record.completed, of.nodes);
}

TEST(Simulation, BarriersOfAllSizesAndRadices) {
  for (const uint32_t nodes : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 10u, 13u, 16u, 17u, 27u, 30u})
    for (const uint32_t radix : {2u, 3u, 4u, 7u, 16u})
      for (const auto engine : {EngineChoice::offload, EngineChoice::software}) {
        Workload of = workload(nodes, radix);
        of.engine = engine;
        of.repeats = 2;
        const auto result = simulate(parameters(), of);
        ASSERT_TRUE(result.is_ok()) << result.status().message();
        expect_sound(*result, of);
      }
}

/// The same, cycle by cycle and node by node, as when only what happens is looked at.
TEST(Simulation, SkippingChangesNothing) {
  std::vector<std::pair<const char*, Workload>> cases;
  const auto add = [&](const char* set, uint32_t nodes, uint32_t radix) -> Workload& {
    cases.emplace_back(set, workload(nodes, radix));
    cases.back().second.repeats = 3;
    return cases.back().second;
  };
  add("default", 9, 3).faults = {.loss = 0.05, .duplication = 0.1, .reordering = 0.3};
  add("default", 12, 5).arrivals = arrivals("uniform:3us");
  add("gemini", 8, 4).window = 3;
  cases.back().second.communicators = 2;
  add("infiniband", 40, 16).background = 0.5;
  add("tofu2", 7, 2).from_memory = true;
  cases.back().second.completion = Completion::memory_write;
  add("default", 6, 3).op = Operator::sum;
  cases.back().second.elements = 8;
  cases.back().second.faults.corruption = 0.05;
  add("default", 8, 3).engine = EngineChoice::software;
  cases.back().second.background = 0.3;
  add("default", 5, 3).completion = Completion::interrupt;
  // So many that their routers live through a stretch of cycles in several groups.
  add("default", 700, 4).faults = {.duplication = 0.1, .reordering = 0.3};
  cases.back().second.repeats = 1;
  for (const auto& [set, of] : cases) {
    const auto some = simulate(parameters(set), of);
    const auto every = simulate(parameters(set), of, {.steps_everything = true});
    ASSERT_TRUE(some.is_ok()) << some.status().message();
    ASSERT_TRUE(every.is_ok()) << every.status().message();
    EXPECT_EQ(some->cycles, every->cycles);
    EXPECT_EQ(some->engines, every->engines);
    EXPECT_EQ(some->network, every->network);
    EXPECT_EQ(some->cpu_cycles, every->cpu_cycles);
    EXPECT_LT(some->node_steps, every->node_steps);
    for (size_t i = 0; i < some->records.size(); ++i) {
      EXPECT_EQ(some->records[i].last_completion, every->records[i].last_completion);
      EXPECT_EQ(some->records[i].first_report, every->records[i].first_report);
      EXPECT_EQ(some->records[i].result, every->records[i].result);
    }
    expect_sound(*some, of);
  }
}

/// Descriptors that exceed the engine's contexts and queues wait for late hosts; the engine is idle meanwhile.
TEST(Simulation, AFullEngineSleeps) {
  for (const bool from_memory : {false, true}) {
    Workload of = workload(6, 3);
    of.repeats = of.window = 120;
    of.arrivals = arrivals("ascending:1ms");
    of.from_memory = from_memory;
    Parameters with = parameters();
    with.contexts = 1;
    const auto result = simulate(with, of);
    ASSERT_TRUE(result.is_ok()) << result.status().message();
    expect_sound(*result, of);
    EXPECT_LT(result->node_steps, result->cycles / 20);
  }
}

TEST(Simulation, FaultsAreRecoveredFrom) {
  for (uint64_t seed = 1; seed <= test::samples(8U); ++seed) {
    Workload of = workload(2 + seed % 9, 2 + seed % 4);
    of.repeats = 30;
    of.window = 1 + seed % 3;
    of.communicators = 1 + seed % 2;
    of.arrivals = arrivals("exponential:2us");
    of.seed = seed;
    of.faults = {.loss = 0.05, .corruption = 0.02, .duplication = 0.1, .reordering = 0.3, .seed = seed};
    Parameters with = parameters();
    with.damq_depth = 1 + static_cast<double>(seed % 5);
    const auto result = simulate(with, of);
    ASSERT_TRUE(result.is_ok()) << result.status().message();
    expect_sound(*result, of);
    EXPECT_GT(result->engines.resends, 0u);
    EXPECT_GT(result->engines.duplicates, 0u);
  }
}

TEST(Simulation, LateHostsAndShallowBuffersMeanRefusals) {
  Workload of = workload(27, 3);
  of.arrivals = arrivals("one-late:20us");
  uint64_t last = UINT64_MAX;
  for (const double depth : {1, 2, 16}) {
    Parameters with = parameters();
    with.damq_depth = depth;
    const auto result = simulate(with, of);
    ASSERT_TRUE(result.is_ok()) << result.status().message();
    expect_sound(*result, of);
    EXPECT_LT(result->engines.nacks, last);
    EXPECT_LE(result->engines.damq_peak, depth);
    last = result->engines.nacks;
  }
  EXPECT_EQ(last, 0u);
}

/// Folds in the order of ranks in the groups that the descriptors have, and compares the bits.
TEST(Simulation, AllreduceGivesTheSameBitsEverywhereAndTheRightOnes) {
  for (const uint32_t nodes : {1u, 2u, 5u, 9u, 16u, 23u})
    for (const auto& [op, type] :
         {std::pair{Operator::sum, ElementType::float64}, std::pair{Operator::sum, ElementType::int64},
          std::pair{Operator::min, ElementType::float64}, std::pair{Operator::max, ElementType::uint64},
          std::pair{Operator::bit_and, ElementType::uint64},
          std::pair{Operator::bit_or, ElementType::int64}}) {
      Workload of = workload(nodes, 3);
      of.op = op;
      of.type = type;
      of.elements = 3;
      of.repeats = 3;
      of.arrivals = arrivals("uniform:1us");
      const auto result = simulate(parameters(), of);
      ASSERT_TRUE(result.is_ok()) << result.status().message();
      expect_sound(*result, of);
      for (uint32_t which = 0; which < 3; ++which)
        for (uint32_t i = 0; i < 3; ++i) {
          uint64_t expected = operand_of(of, 0, which)[i];
          for (uint32_t node = 1; node < nodes; ++node)
            expected = nic::apply(op, type, expected, operand_of(of, node, which)[i]);
          const uint64_t found = result->records[which].result[i];
          if (type == ElementType::float64 && op == Operator::sum) {
            const double a = std::bit_cast<double>(found), b = std::bit_cast<double>(expected);
            EXPECT_NEAR(a, b, 1e-9 * 0x1p63) << "another order of the same sum";
          } else {
            EXPECT_EQ(found, expected) << nodes << " nodes";
          }
        }
    }
}

TEST(Simulation, EpochsWrap) {
  Workload of = workload(5, 3);
  of.repeats = 8;
  of.first_epoch = 0x7ffffffc;  // the farthest from 0 that an engine takes for later
  const auto result = simulate(parameters(), of);
  ASSERT_TRUE(result.is_ok()) << result.status().message();
  expect_sound(*result, of);
}

TEST(Simulation, OffloadBeatsTheHostAndMoreWaysBeatTwo) {
  for (const PublishedSet& set : published_sets()) {
    Workload of = workload(128, 2);
    const double offloaded_two = simulate(parameters(set.name.data()), of)->latency_ns(0);
    of.engine = EngineChoice::software;
    const double software_two = simulate(parameters(set.name.data()), of)->latency_ns(0);
    const double offloaded_many = simulate(parameters(set.name.data()), workload(128, 16))->latency_ns(0);
    EXPECT_LT(offloaded_many, 0.8 * offloaded_two) << set.name;
    EXPECT_LT(offloaded_many, 0.6 * software_two) << set.name;
    EXPECT_LT(offloaded_two, software_two) << set.name;
  }
}

TEST(Simulation, FarthestFirstIsFaster) {
  for (const auto engine : {EngineChoice::offload, EngineChoice::software}) {
    Workload of = workload(64, 16);
    of.engine = engine;
    const double ordered = simulate(parameters(), of)->latency_ns(0);
    of.farthest_first = false;
    EXPECT_LT(ordered, simulate(parameters(), of)->latency_ns(0));
  }
}

/// A barrier of two nodes has no congestion: its time can be added up.
TEST(Simulation, TwoNodesTakeTheSumOfTheirParts) {
  const Parameters with = parameters();
  const Timing timing = timing_of(with);
  Workload of = workload(2, 2);
  of.engine = EngineChoice::software;
  const auto software = simulate(with, of);
  const uint32_t network =
      timing.network.inject_cycles + timing.network.hop_cycles + timing.network.eject_cycles;
  const uint32_t packet = 2;  // 32 bytes at 16 a cycle
  EXPECT_EQ(software->records[0].last_completion, timing.send + timing.pio + network + packet +
                                                      timing.pcie_cycles(64) + timing.dma_write +
                                                      timing.receive);
  of.engine = EngineChoice::offload;
  const auto offloaded = simulate(with, of);
  // 8 words through HDQ: a header of 5, a round and its two lists.
  const uint32_t dispatch = 1 + 1 + 8 + 1 + 1 + 1;  // into HDQ, IDLE, words, CHECK, POST, post
  const uint32_t engines = 2 + 3 + 1 + 4;  // TE and TXQ; RXQ, SE, look; CU's beats into and out of WR
  const uint64_t sum = timing.post + timing.pio + dispatch + network + packet + engines +
                       timing.pcie_cycles(16) + timing.dma_write + timing.poll;
  EXPECT_NEAR(static_cast<double>(offloaded->records[0].last_completion), static_cast<double>(sum), 4);
}

TEST(Simulation, BackgroundTrafficCosts) {
  Workload of = workload(27, 3);
  of.repeats = 20;
  const double alone = simulate(parameters(), of)->mean_latency_ns();
  of.background = 0.6;
  const auto result = simulate(parameters(), of);
  expect_sound(*result, of);
  EXPECT_GT(result->mean_latency_ns(), 1.02 * alone);
}

TEST(Simulation, BadWorkloadsGetOneLine) {
  const auto refuses = [](auto change) {
    Workload of = workload(4, 3);
    change(of);
    const auto result = simulate(parameters(), of);
    EXPECT_FALSE(result.is_ok());
    EXPECT_EQ(result.status().message().find('\n'), std::string::npos);
    EXPECT_FALSE(result.status().message().empty());
  };
  refuses([](Workload& of) { of.nodes = 0; });
  refuses([](Workload& of) { of.radix = 17; });
  refuses([](Workload& of) { of.radix = 4; });  // symmetric
  refuses([](Workload& of) { of.background = 1; });
  refuses([](Workload& of) { of.faults.loss = -1; });
  refuses([](Workload& of) { of.arrivals = arrivals("uniform:1001ms"); });
  refuses([](Workload& of) { of.arrivals = arrivals("straggler:rank=4,1us"); });
  refuses([](Workload& of) { of.communicators = 17; });
  refuses([](Workload& of) { of.repeats = 0; });
  refuses([](Workload& of) {
    of.engine = EngineChoice::software;
    of.faults.loss = 0.1;
  });
  refuses([](Workload& of) {
    of.engine = EngineChoice::software;
    of.op = Operator::sum;
  });
}

TEST(Simulation, StopsWhenTold) {
  Workload of = workload(64, 3);
  of.repeats = 100000;
  RunOptions options;
  options.report = [](uint64_t, uint64_t) { return false; };
  const auto result = simulate(parameters(), of, options);
  ASSERT_FALSE(result.is_ok());
  EXPECT_EQ(result.status().code(), base::Code::not_found);
}

}  // namespace
}  // namespace tutti::offload::model
