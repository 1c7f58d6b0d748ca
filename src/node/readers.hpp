#pragma once
// Who may read the memory of this process where Yama asks (kernel.yama.ptrace_scope 1): by default only its
// ancestors may, and one-copy reads are made by its siblings. A process can name one other process, which may
// then read it like an ancestor, together with all descendants of that one.

#include <cstdint>
#include <functional>
#include <span>

namespace tutti::node {

/// The nearest process of which all others descend, or which is one of them; 0 where there is none, or
/// `parent_of` does not know it. `parent_of` returns 0 for what it does not know. Ids that are 0 are ignored.
int32_t nearest_common_ancestor(std::span<const int32_t> pids,
                                const std::function<int32_t(int32_t)>& parent_of);

/// From /proc; 0 when unknown.
int32_t parent_of(int32_t pid);

/// Where Yama asks: lets the job's launcher on this node, and what it has started, read this process until
/// the process ends or the launcher does. `pids`: the ranks of the job on this node. Elsewhere does nothing.
void permit_readers(std::span<const int32_t> pids);

}  // namespace tutti::node
