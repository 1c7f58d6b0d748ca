#pragma once
// Shared by the tests of the engine contract. An engine joins by a line in `Engines`.

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "engine/cpu_engine.hpp"
#include "engine/plan.hpp"
#include "schedule/schedule.hpp"
#include "tests/engine/scripted_endpoint.hpp"

namespace tutti::test {

using base::Code;
using base::Status;
using engine::Bindings;
using engine::Engine;
using engine::Limits;
using engine::Operation;
using engine::Plan;
using engine::Ports;
using schedule::BufRef;
using schedule::OperandOrder;
using schedule::Peer;
using schedule::ScheduleBuilder;
using schedule::Slot;
using schedule::TaskId;

struct MakeCpuEngine {
  static std::unique_ptr<Engine> make(const Ports& ports) {
    return std::make_unique<engine::CpuEngine>(ports, engine::WaitPolicy::sleep);
  }
};

inline std::shared_ptr<const Plan> plan_of(ScheduleBuilder& builder, Limits limits = {}) {
  auto schedule = std::move(builder).finish();
  EXPECT_TRUE(schedule) << schedule.status().message();
  auto plan = Plan::make(std::move(*schedule), limits);
  EXPECT_TRUE(plan) << plan.status().message();
  return *plan;
}

inline BufRef output(uint64_t offset, uint64_t bytes) {
  return {Slot::output, offset, bytes};
}
inline BufRef input(uint64_t offset, uint64_t bytes) {
  return {Slot::input, offset, bytes};
}

inline std::vector<std::byte> numbered(size_t bytes, unsigned first = 0) {
  std::vector<std::byte> data(bytes);
  for (size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(first + i * 7);
  return data;
}

template <class Maker>
class EngineContract : public testing::Test {
 protected:
  static constexpr int k_rounds = 200;  // more than any case needs

  /// One rank over an endpoint that the test controls.
  std::unique_ptr<Engine> engine_ =
      Maker::make({.networks = {&network_}, .local = &network_, .node = &node_});

  Operation* start(const Plan& plan, const Bindings& bindings) { return start(*engine_, plan, bindings); }
  Operation* start(Engine& engine, const Plan& plan, const Bindings& bindings) {
    auto operation = engine.start(plan, bindings);
    EXPECT_TRUE(operation) << operation.status().message();
    return operation ? *operation : nullptr;
  }
  void progress(int rounds = k_rounds) {
    for (int i = 0; i < rounds; ++i) engine_->progress();
  }

  ScriptedEndpoint network_;
  ScriptedNodeMemory node_{256};
  std::vector<std::byte> in_ = numbered(256, 1), out_ = numbered(256, 99);
};

using Engines = testing::Types<MakeCpuEngine>;

}  // namespace tutti::test
