#pragma once
// Permits other processes to read the memory of this process under Yama (kernel.yama.ptrace_scope 1). By
// default only its ancestors may, but one-copy reads are made by its siblings. A process can permit one other
// process, and all descendants of that one, to read it like an ancestor.

#include <cstdint>
#include <functional>
#include <span>

namespace tutti::node {

/// The nearest process that is an ancestor of all the others, or one of them; 0 if there is none or
/// `parent_of` does not know it. `parent_of` returns 0 for an unknown process. Ignores ids that are 0.
int32_t nearest_common_ancestor(std::span<const int32_t> pids,
                                const std::function<int32_t(int32_t)>& parent_of);

/// The parent from /proc; 0: unknown.
int32_t parent_of(int32_t pid);

/// Under ptrace_scope 1: permits the job's launcher on this node and its descendants to read this process,
/// until the process or the launcher ends. `pids`: the ranks of the job on this node. Otherwise does nothing.
void permit_readers(std::span<const int32_t> pids);

}  // namespace tutti::node
