#pragma once
// The barrier engine of rtl/, simulated, for whoever takes an EngineModel.

#include <Vbe_engine.h>

#include <cstdint>
#include <string>

#include "base/status.hpp"
#include "verilated_engine.hpp"

namespace tutti::rtl {

template <>
struct Sleep<Vbe_engine> {
  static uint64_t cycles(const Vbe_engine& rtl);
  static void skip(Vbe_engine& rtl, uint64_t cycles);
};

using RtlEngine = VerilatedEngine<Vbe_engine>;

/// Ok when the RTL was built with these sizes. Error: invalid_argument, one line.
base::Status check(const offload::nic::EngineConfiguration& configuration);

/// Assertions of RTL that have failed in this program so far, and where the last one did ("be_fifo.sv:42").
/// Any thread but one that simulates.
struct AssertionFailures {
  uint64_t count = 0;
  std::string last;
};
AssertionFailures assertion_failures();
void forget_assertion_failures();

}  // namespace tutti::rtl
