// Times that are known: LogGP's formulas of trees, rings, chains and dissemination.

#include <gtest/gtest.h>

#include <algorithm>

#include "algorithm/catalogue.hpp"
#include "pattern/knomial.hpp"
#include "simulate/collective.hpp"
#include "tests/support/sanitizer.hpp"

namespace tutti::simulate {
namespace {

using algorithm::Collective;
using topology::Topology;

/// Powers of two and some other numbers, so that no two costs are the same by chance.
Machine machine(double ns_per_byte = 0.25) {
  Machine made;
  made.latency_ns = 1300;
  made.overhead_ns = 400;
  made.gap_ns = 50;
  made.ns_per_byte = ns_per_byte;
  made.eager_bytes = 1 << 20;
  return made;
}

Figures figures_of(Collective collective, const char* choice, schedule::Rank ranks, uint64_t bytes,
                   const Machine& on, const char* arrivals = "none") {
  const Experiment experiment{.call = {.collective = collective, .rank_count = ranks, .bytes = bytes},
                              .choice = algorithm::parse_choice(collective, choice).value(),
                              .arrivals = arrival::parse_pattern(arrivals).value()};
  const auto figures = measure(experiment, Topology::flat(ranks), on);
  EXPECT_TRUE(figures.is_ok()) << figures.status().message();
  return figures ? *figures : Figures{};
}

/// One message, alone: 2o + L + (s - 1)G.
double message_ns(const Machine& on, uint64_t bytes) {
  return 2 * on.overhead_ns + on.latency_ns +
         (bytes < 2 ? 0 : static_cast<double>(bytes - 1) * on.ns_per_byte);
}

/// The time when the subtree of `position`, which has the data at `at`, is done: its children get it one after the
/// other.
double tree_ns(const pattern::KnomialTree& tree, schedule::Rank position, double at, const Machine& on,
               double bytes) {
  const double between = std::max(on.overhead_ns, on.gap_ns + (bytes - 1) * on.ns_per_byte);
  const auto children = tree.children(position);
  double last = at, begin = at;
  for (auto child = children.rbegin(); child != children.rend(); ++child, begin += between)
    last = std::max(last, tree_ns(tree, child->position, begin + message_ns(on, static_cast<uint64_t>(bytes)),
                                  on, bytes));
  return std::max(last, begin - between + on.overhead_ns);
}

TEST(Formulas, KnomialTrees) {
  for (const schedule::Rank ranks : {2, 3, 8, 100, 1024})
    for (const schedule::Rank radix : {2, 4})
      for (const uint64_t bytes : {1, 8, 4096, 60000}) {
        const std::string choice = "knomial:segment=1M:radix=" + std::to_string(radix);
        const Figures figures = figures_of(Collective::bcast, choice.c_str(), ranks, bytes, machine());
        const pattern::KnomialTree tree{ranks, radix};
        EXPECT_NEAR(figures.whole_ns, tree_ns(tree, 0, 0, machine(), static_cast<double>(bytes)), 0.1)
            << ranks << " ranks, radix " << radix << ", " << bytes << " bytes";
      }
  // With small messages on 2^k ranks the deepest chain decides.
  EXPECT_NEAR(figures_of(Collective::bcast, "knomial", 1024, 1, machine()).whole_ns,
              10 * message_ns(machine(), 1), 0.01);
}

TEST(Formulas, Dissemination) {
  for (const schedule::Rank ranks : {2, 3, 16, 100, 1000}) {
    int rounds = 0;
    while (1 << rounds < ranks) ++rounds;
    const Figures figures = figures_of(Collective::barrier, "dissemination", ranks, 0, machine());
    EXPECT_NEAR(figures.whole_ns, rounds * message_ns(machine(), 0), 0.01) << ranks;
    EXPECT_EQ(figures.counters.messages, static_cast<uint64_t>(rounds) * static_cast<uint64_t>(ranks));
  }
}

TEST(Formulas, Rings) {
  for (const schedule::Rank ranks : {2, 5, 16, 64})
    for (const uint64_t bytes : {1, 1000, 100000})
      EXPECT_NEAR(figures_of(Collective::allgather, "ring:segment=1M", ranks, bytes, machine()).whole_ns,
                  (ranks - 1) * message_ns(machine(), bytes), 0.1 * ranks)
          << ranks << " ranks, " << bytes << " bytes";
}

/// The first segment passes through the chain, and the others follow it as fast as a NIC lets them.
TEST(Formulas, Chains) {
  for (const schedule::Rank ranks : {2, 5, 33})
    for (const uint64_t segments : {1, 10, 100}) {
      const Machine on = machine(0.5);
      constexpr uint64_t k_segment = 8192;
      const double each = on.gap_ns + (k_segment - 1) * on.ns_per_byte;
      const double whole = (ranks - 1) * message_ns(on, k_segment) + static_cast<double>(segments - 1) * each;
      const Figures figures =
          figures_of(Collective::bcast, "chain:segment=8K", ranks, k_segment * segments, on);
      EXPECT_NEAR(figures.whole_ns, whole, 0.02 * whole) << ranks << " ranks, " << segments << " segments";
    }
}

/// Above the eager limit the sender asks, the receiver answers, and then the data goes: 3L and 4o.
TEST(Formulas, LongMessagesAskFirst) {
  Machine on = machine();
  on.eager_bytes = 1000;
  const double data = 4095 * on.ns_per_byte;
  EXPECT_NEAR(figures_of(Collective::bcast, "linear", 2, 4096, on).whole_ns,
              4 * on.overhead_ns + 3 * on.latency_ns + data, 0.01);
  // A receiver that is late is asked when it comes: then one way less is to go.
  EXPECT_NEAR(figures_of(Collective::bcast, "linear", 2, 4096, on, "straggler:rank=1,1ms").whole_ns,
              1e6 + 3 * on.overhead_ns + 2 * on.latency_ns + data, 0.01);
}

/// U[0, k] and no costs: a rank waits for a root that comes later, k/6 on average.
TEST(Formulas, WaitingForTheRoot) {
  Machine free;
  for (const MachineParameter& parameter : machine_parameters())
    if (parameter.least == 0 && !parameter.is_whole) free.*parameter.value = 0;
  Experiment experiment{.call = {.collective = Collective::bcast, .rank_count = 16, .bytes = 1},
                        .choice = algorithm::parse_choice(Collective::bcast, "linear").value(),
                        .arrivals = arrival::parse_pattern("uniform:600us").value(),
                        .calls = test::samples(20000u)};
  const auto figures = measure(experiment, Topology::flat(16), free);
  ASSERT_TRUE(figures.is_ok());
  EXPECT_NEAR(figures->mean_ns * 16 / 15, 100e3, test::k_is_sanitized ? 6e3 : 2e3);
}

}  // namespace
}  // namespace tutti::simulate
