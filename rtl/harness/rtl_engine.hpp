#pragma once
// The barrier engine of rtl/, simulated with Verilator, as an EngineModel.

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

/// Failed assertions of the RTL in this process so far, and the location of the last one ("be_fifo.sv:42").
/// Not to be called from threads that simulate.
struct AssertionFailures {
  uint64_t count = 0;
  std::string last;
};
AssertionFailures assertion_failures();
void forget_assertion_failures();

}  // namespace tutti::rtl
