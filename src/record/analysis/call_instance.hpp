#pragma once
// One collective call with the records of all its ranks.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "algorithm/request.hpp"
#include "record/analysis/delays.hpp"
#include "record/call_record.hpp"
#include "record/rank_file.hpp"

namespace tutti::record::analysis {

/// A communicator of the run, combined from the descriptions in the files of its ranks.
struct RecordedCommunicator {
  std::string name;
  std::vector<uint32_t> members;  // ranks in MPI_COMM_WORLD
  uint32_t with_files = 0;        // members that left a file
};

/// One rank's record of a call.
struct MemberCall {
  bool is_present = false;
  int64_t arrival_ns = 0;  // on the common clock
  uint64_t error_ns = 0;   // error of arrival_ns; k_unknown_ns: unknown
  uint64_t inside_ns = k_unknown_ns, whole_ns = k_unknown_ns;
  /// Time that this rank has worked since its previous collective call; k_unknown_ns: there was none.
  uint64_t gap_ns = k_unknown_ns;
  /// Time worked since the run began, until the arrival; for a nonblocking call also until the last rank waits for its
  /// end.
  uint64_t worked_ns = 0, worked_until_waits_ns = 0;
  uint32_t place = 0, place_before = 0;  // indices in RunTables::places; of this call and the one before
  uint32_t choice = 0;                   // index in RunTables::choices
  algorithm::Collective collective = algorithm::Collective::barrier;  // called by this rank
  select::CallInterface interface = select::CallInterface::blocking;

  bool is_over() const { return inside_ns != k_unknown_ns && whole_ns != k_unknown_ns; }
  int64_t end_ns() const { return arrival_ns + static_cast<int64_t>(whole_ns); }
  /// For a completed nonblocking call: time at which the rank has begun to wait for its end.
  int64_t wait_begins_ns() const {
    return arrival_ns + static_cast<int64_t>(whole_ns - std::min(inside_ns, whole_ns));
  }
};

/// Whether the rank has entered the call and not left it.
inline bool is_under_way(const MemberCall& one) {
  return one.is_present && one.inside_ns == k_unknown_ns && one.whole_ns == k_unknown_ns;
}

struct CallInstance {
  uint32_t group = 0, sequence = 0;
  algorithm::Collective collective = algorithm::Collective::barrier;
  select::CallInterface interface = select::CallInterface::blocking;
  uint64_t bytes = 0;
  uint32_t root = k_no_root;
  uint32_t present = 0;
  std::vector<MemberCall> calls;  // by rank of the group
};

/// Whether ranks have called different collectives where MPI requires the same.
inline bool is_mismatched(const CallInstance& call) {
  const MemberCall* first = nullptr;
  for (const MemberCall& one : call.calls) {
    if (!one.is_present) continue;
    if (first == nullptr) first = &one;
    if (one.collective != first->collective || one.interface != first->interface) return true;
  }
  return false;
}

/// MPI functions for calls beside collectives, by MessageCall; several functions may map to one.
inline constexpr std::string_view k_mpi_calls[] = {
    "",        "MPI_Send", "MPI_Recv", "MPI_Sendrecv", "MPI_Probe", "MPI_Wait", "a call of several ranks",
    "MPI_Test"};
static_assert(std::size(k_mpi_calls) == std::size(k_message_calls));

/// One call in which a rank has waited for messages of others, or for other ranks.
struct MessageWait {
  Worked rank;
  std::vector<Worked> peers;  // candidates; which of them it waited for is not known. Empty: unknown
  MessageCall call = MessageCall::none;
  std::string name;        // of the MPI function
  int64_t arrival_ns = 0;  // on the common clock
  uint64_t waited_ns = 0;
};

/// Such a wait whose end is not known.
struct OpenWait {
  uint32_t rank = 0;
  MessageCall call = MessageCall::none;
  std::string name;             // of the MPI function
  std::vector<uint32_t> peers;  // ranks of the run; empty: not known, or any
  /// Ranks of the run that have to make the same call (is_call_of_all()); empty: not such a call.
  std::vector<uint32_t> members;
  int64_t arrival_ns = 0;  // on the common clock
};

/// Which ranks a rank waits for, by the semantics of the collective.
enum class Dependence : uint8_t {
  all_on_all,      // no rank can leave before all have arrived
  all_on_root,     // bcast, scatter
  root_on_all,     // reduce, gather
  on_lower_ranks,  // scan, exscan
};
Dependence dependence_of(algorithm::Collective collective);

}  // namespace tutti::record::analysis
