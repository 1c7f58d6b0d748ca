#pragma once
// Limits of CPU time that the kernel's control groups set for this process (cgroups(7), version 1 and 2).

#include <string>
#include <vector>

#include "topology/cpu_shares.hpp"

namespace tutti::topology {

/// The limits of the groups that this process is in, the innermost first; groups without a limit are left out. What a
/// container cannot see of the groups around it is not known. `root` stands in front of all file names; empty but in
/// tests.
std::vector<CpuQuota> own_cpu_quotas(const std::string& root = {});

}  // namespace tutti::topology
