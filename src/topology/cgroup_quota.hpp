#pragma once
// CPU time limits that control groups set for this process (cgroups(7), versions 1 and 2).

#include <string>
#include <vector>

#include "topology/cpu_shares.hpp"

namespace tutti::topology {

/// The limits of the groups of this process, innermost first; groups without a limit are omitted. Limits of groups
/// outside a container are not visible inside it and therefore not included. `root` is prepended to all file names;
/// empty except in tests.
std::vector<CpuQuota> own_cpu_quotas(const std::string& root = {});

}  // namespace tutti::topology
