// The arithmetic of the allreduce against the host's: all operators and types, doubles with subnormals,
// infinities and what is not a number, and the latency of each operator.
#include <Vbe_alu.h>
#include <gtest/gtest.h>
#include <verilated.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "offload/nic/operators.hpp"
#include "offload/nic/ports.hpp"

namespace tutti::rtl {
namespace {

using offload::ElementType;
using offload::Operator;

class Alu {
 public:
  Alu() : alu_(&context_, "be_alu") {
    alu_.reset = 1;
    tick();
    alu_.reset = 0;
  }
  ~Alu() { alu_.final(); }

  void choose(Operator op, ElementType type) {
    alu_.copy = 0;
    alu_.operation = static_cast<uint8_t>(op);
    alu_.element = static_cast<uint8_t>(type);
  }

  /// A cycle in which a pair goes in; the result that came out in it, if one did.
  bool step(bool is_valid, uint64_t a, uint64_t b, uint64_t* result) {
    alu_.valid = is_valid ? 1 : 0;
    alu_.a = a;
    alu_.b = b;
    alu_.eval();
    *result = alu_.result;
    const bool is_done = alu_.done != 0;
    tick();
    return is_done;
  }

 private:
  void tick() {
    alu_.clock = 0;
    alu_.eval();
    alu_.clock = 1;
    alu_.eval();
  }

  VerilatedContext context_;
  Vbe_alu alu_;
};

using Pairs = std::vector<std::pair<uint64_t, uint64_t>>;

/// Streams all pairs through; returns the latency in cycles.
uint32_t expect_all(Operator op, ElementType type, const Pairs& pairs) {
  Alu alu;
  alu.choose(op, type);
  size_t done = 0;
  uint32_t latency = 0;
  for (size_t cycle = 0; done < pairs.size() && cycle < pairs.size() + 10; ++cycle) {
    const bool is_valid = cycle < pairs.size();
    const auto [a, b] = is_valid ? pairs[cycle] : std::pair<uint64_t, uint64_t>{};
    uint64_t result;
    if (!alu.step(is_valid, a, b, &result)) continue;
    if (done == 0) latency = static_cast<uint32_t>(cycle);
    const auto [left, right] = pairs[done++];
    const uint64_t expected = offload::nic::apply(op, type, left, right);
    EXPECT_EQ(result, expected) << std::hex << "operator " << static_cast<int>(op) << " of " << left
                                << " and " << right;
    if (result != expected) return 0;
  }
  EXPECT_EQ(done, pairs.size());
  return latency;
}

/// Every peculiar double with every other one, and their neighbours.
Pairs peculiar_doubles() {
  using Limits = std::numeric_limits<double>;
  std::vector<uint64_t> patterns;
  for (const double value : {0.0,
                             1.0,
                             1.5,
                             2.0,
                             3.0,
                             0x1p-52,
                             0x1p-53,
                             0x1p-54,
                             0x1p53,
                             0x1p54,
                             Limits::min(),
                             Limits::max(),
                             Limits::denorm_min(),
                             Limits::infinity(),
                             Limits::quiet_NaN(),
                             Limits::signaling_NaN(),
                             0x1p1023,
                             0x1p970,
                             0x1p969,
                             0x1p-1021,
                             0.1,
                             1e300,
                             1e-300})
    for (const int64_t step : {-2, -1, 0, 1, 2})
      for (const uint64_t sign : {uint64_t{0}, uint64_t{1} << 63})
        patterns.push_back((std::bit_cast<uint64_t>(value) + static_cast<uint64_t>(step)) ^ sign);
  Pairs pairs;
  for (const uint64_t a : patterns)
    for (const uint64_t b : patterns) pairs.emplace_back(a, b);
  return pairs;
}

/// Any bits; exponents that are close, so that much cancels; subnormal numbers; few bits, so that ties are
/// met.
Pairs random_doubles(size_t count) {
  std::mt19937_64 random(1);
  constexpr uint64_t k_fraction = (uint64_t{1} << 52) - 1;
  const auto make = [&](uint64_t exponent, uint64_t fraction) {
    return (random() & 1) << 63 | (exponent & 0x7ff) << 52 | (fraction & k_fraction);
  };
  const auto few_bits = [&] { return (uint64_t{1} << random() % 52) | (uint64_t{1} << random() % 52); };
  Pairs pairs;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t near = random() % 2047;
    switch (i % 5) {
      case 0:
        pairs.emplace_back(random(), random());
        break;
      case 1:
        pairs.emplace_back(make(near, random()), make(near + random() % 4, random()));
        break;
      case 2:
        pairs.emplace_back(make(random() % 3, random()), make(random() % 3, random()));
        break;
      case 3:
        pairs.emplace_back(make(near, few_bits()), make(near + random() % 60, few_bits()));
        break;
      default:
        pairs.emplace_back(make(near, ~few_bits()), make(near + random() % 57, ~few_bits()));
        break;
    }
  }
  return pairs;
}

TEST(RtlAlu, DoublesAreTheHosts) {
  const offload::nic::EngineConfiguration configuration;
  for (const Pairs& pairs : {peculiar_doubles(), random_doubles(600'000)}) {
    EXPECT_EQ(expect_all(Operator::sum, ElementType::float64, pairs), configuration.lat_fadd);
    EXPECT_EQ(expect_all(Operator::min, ElementType::float64, pairs), configuration.lat_fcmp);
    EXPECT_EQ(expect_all(Operator::max, ElementType::float64, pairs), configuration.lat_fcmp);
  }
}

TEST(RtlAlu, WholeNumbersAreTheHosts) {
  Pairs pairs = random_doubles(20'000);
  for (const uint64_t a :
       {uint64_t{0}, uint64_t{1}, ~uint64_t{0}, uint64_t{1} << 63, (uint64_t{1} << 63) - 1})
    for (const uint64_t b :
         {uint64_t{0}, uint64_t{1}, ~uint64_t{0}, uint64_t{1} << 63, (uint64_t{1} << 63) - 1})
      pairs.emplace_back(a, b);
  for (const ElementType type : {ElementType::int64, ElementType::uint64})
    for (const Operator op :
         {Operator::sum, Operator::min, Operator::max, Operator::bit_and, Operator::bit_or})
      EXPECT_EQ(expect_all(op, type, pairs), offload::nic::EngineConfiguration{}.lat_int);
}

}  // namespace
}  // namespace tutti::rtl
