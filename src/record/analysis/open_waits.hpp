#pragma once
// What ranks wait for in calls that have not ended when the run ends.

#include <cstdint>
#include <string_view>
#include <vector>

#include "record/analysis/assembler.hpp"

namespace tutti::record::analysis {

/// A nonblocking collective that a rank has started and that has not ended.
struct BegunCall {
  const CallInstance* call = nullptr;  // nullptr: none
  const MemberCall* its = nullptr;     // the rank's record of it
};

/// The one that the rank of `wait` has started last, if it waits for requests that belong to no message.
BegunCall awaited_collective(const OpenWait& wait, const RunTables& tables,
                             const std::vector<CallInstance>& unfinished);

/// Whether all members of the communicator, window or file have to make this call beside collectives ("MPI_Comm_dup").
bool is_call_of_all(std::string_view name);

}  // namespace tutti::record::analysis
