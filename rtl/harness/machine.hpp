#pragma once
// A whole machine twice: the same hosts, arbiters and network, once with the C++ engine at every node and
// once with the RTL. Whatever an engine transfers in whatever cycle is compared. Pure; one thread each.

#include <cstdint>
#include <string>

#include "base/status.hpp"
#include "offload/model/parameters.hpp"
#include "offload/model/workload.hpp"

namespace tutti::rtl {

struct MachinePattern {
  offload::model::Parameters parameters;
  offload::model::Workload workload;
  bool is_every_cycle = false;  // the RTL is stepped also in cycles in which it sleeps
};

/// Pattern `seed` for so many nodes: all DAMQ depths from 1 to 16 in turn; barriers and allreduces of all
/// radices, arrivals, ways of posting and completing, some with background traffic or losses.
MachinePattern random_pattern(uint64_t seed, uint32_t nodes);

struct MachineComparison {
  uint64_t model_cycles = 0, rtl_cycles = 0;
  uint64_t transfers = 0;  // through all ports of the model's engines
  uint64_t nacks = 0;
  uint64_t early = 0, differing = 0;  // of both: must be 0
  std::string difference;             // the first one; empty: equal in every transfer, cycle and result
};

/// Error: what simulate() says.
base::Result<MachineComparison> compare_machines(const MachinePattern& pattern);

/// One line: "128 nodes, depth 7, allreduce sum of 3 float64, radix 5, uniform 2000 ns, …".
std::string describe(const MachinePattern& pattern);

}  // namespace tutti::rtl
