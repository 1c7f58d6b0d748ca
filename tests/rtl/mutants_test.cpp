// Every assertion of the RTL can fail: a mistake is built in that it has to find (mutants.py has the table).
#include "rtl/harness/verilated_engine.hpp"

#include <Vbe_mutants.h>
#include <gtest/gtest.h>

#include <string>

#include "rtl_engine.hpp"
#include "stimulus.hpp"

namespace tutti::rtl {
namespace {

struct Mutant {
  uint8_t number;
  const char* assertion;
};
constexpr Mutant k_mutants[] = {
#include "mutants.inc"
};

/// The simulation's failed assertions, over patterns until `assertion` is among them.
std::string failures_of(uint8_t mutant, const std::string& assertion, uint64_t patterns) {
  constexpr uint64_t k_most_cycles = 5000;
  constexpr uint64_t k_enough = 200;  // failures; each one is a line
  testing::internal::CaptureStdout();
  std::string said;
  for (uint64_t seed = 0; seed < patterns && said.find(assertion) == std::string::npos; ++seed) {
    const auto configuration = random_configuration(seed);
    VerilatedEngine<Vbe_mutants> engine(configuration, static_cast<uint32_t>(seed));
    engine.model().mutant = mutant;
    Stimulus stimulus(seed, 8, configuration);
    forget_assertion_failures();
    for (uint64_t now = 0;
         now < k_most_cycles && !stimulus.is_over() && assertion_failures().count < k_enough; ++now)
      engine.step(now, stimulus.next(now, engine.outputs()));
    std::fflush(stdout);
    said += testing::internal::GetCapturedStdout();
    testing::internal::CaptureStdout();
  }
  testing::internal::GetCapturedStdout();
  return said;
}

TEST(RtlMutants, WithoutAMistakeNoAssertionFails) {
  EXPECT_EQ(failures_of(0, "no assertion", 24), "");
  EXPECT_EQ(assertion_failures().count, 0u);
}

TEST(RtlMutants, EveryAssertionFindsItsMistake) {
  for (const Mutant& mutant : k_mutants) {
    const std::string said = failures_of(mutant.number, mutant.assertion, 48);
    EXPECT_NE(said.find(mutant.assertion), std::string::npos)
        << mutant.assertion << " has not failed; what has: " << said.substr(0, 300);
  }
}

}  // namespace
}  // namespace tutti::rtl
