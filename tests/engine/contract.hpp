#pragma once
// What the tests of the engine contract share. An engine joins by a line in `Engines`.

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "engine/cpu_engine.hpp"
#include "engine/plan.hpp"
#include "schedule/schedule.hpp"

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

using Engines = testing::Types<MakeCpuEngine>;

}  // namespace tutti::test
