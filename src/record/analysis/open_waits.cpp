#include "record/analysis/open_waits.hpp"

#include <algorithm>
#include <iterator>

namespace tutti::record::analysis {

BegunCall awaited_collective(const OpenWait& wait, const RunTables& tables,
                             const std::vector<CallInstance>& unfinished) {
  BegunCall last;
  if (wait.call != MessageCall::wait || !wait.peers.empty()) return last;
  for (const CallInstance& call : unfinished) {
    const std::vector<uint32_t>& members = tables.groups[call.group].members;
    const auto member = std::ranges::find(members, wait.rank);
    if (member == members.end()) continue;
    const MemberCall& one = call.calls[static_cast<size_t>(member - members.begin())];
    if (!is_under_way(one) || one.interface == select::CallInterface::blocking) continue;
    if (last.call != nullptr && one.arrival_ns < last.its->arrival_ns) continue;
    last = {&call, &one};
  }
  return last;
}

bool is_call_of_all(std::string_view name) {
  // tests/meta/all_calls.py compares it with the calls that are recorded (synchronising_calls.py).
  constexpr std::string_view k_beginnings[] = {
      "MPI_Comm_accept",      "MPI_Comm_connect",  "MPI_Comm_dup",          "MPI_Comm_spawn",
      "MPI_Comm_split",       "MPI_Cart_create",   "MPI_Cart_sub",          "MPI_Graph_create",
      "MPI_Intercomm_",       "MPI_Win_create",    "MPI_Dist_graph_create", "MPI_Win_allocate",
      "MPI_Win_fence",        "MPI_Win_free",      "MPI_File_open",         "MPI_File_close",
      "MPI_File_set_view",    "MPI_File_set_size", "MPI_File_sync",         "MPI_File_preallocate",
      "MPI_File_seek_shared", "MPI_Finalize"};
  if (name == "MPI_Comm_create") return true;
  if (name.starts_with("MPI_File") && (name.find("_all") != name.npos || name.find("_ordered") != name.npos))
    return true;
  return std::ranges::any_of(k_beginnings,
                             [&](std::string_view beginning) { return name.starts_with(beginning); });
}

}  // namespace tutti::record::analysis
