#pragma once
// Runs a whole machine twice: the same hosts, arbiters and network, once with the C++ engine at every node
// and once with the RTL. Compares every transfer of an engine and its cycle. Pure; one thread each.

#include <cstdint>
#include <string>

#include "base/status.hpp"
#include "offload/model/parameters.hpp"
#include "offload/model/workload.hpp"

namespace tutti::rtl {

struct MachinePattern {
  offload::model::Parameters parameters;
  offload::model::Workload workload;
  bool is_every_cycle = false;  // steps the RTL also in cycles in which it is idle
};

/// Pattern `seed` for this number of nodes: all DAMQ depths from 1 to 16 in turn; barriers and allreduces of
/// all radices, arrivals, kinds of posting and completion, some with background traffic or losses.
MachinePattern random_pattern(uint64_t seed, uint32_t nodes);

struct MachineComparison {
  uint64_t model_cycles = 0, rtl_cycles = 0;
  uint64_t transfers = 0;  // through all ports of the model's engines
  uint64_t nacks = 0;
  uint64_t early = 0, differing = 0;  // sums over both runs; must be 0
  std::string difference;  // the first difference; empty: equal in every transfer, cycle and result
};

/// Errors: those of simulate().
base::Result<MachineComparison> compare_machines(const MachinePattern& pattern);

/// One line: "128 nodes, depth 7, allreduce sum of 3 float64, radix 5, uniform 2000 ns, …".
std::string describe(const MachinePattern& pattern);

}  // namespace tutti::rtl
