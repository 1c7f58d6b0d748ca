#pragma once
// One collective call as all its ranks made it.

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

/// A communicator of the run, whose description the files of several ranks have in common.
struct Group {
  std::string name;
  std::vector<uint32_t> members;  // ranks in MPI_COMM_WORLD
  uint32_t with_files = 0;        // members whose files are there
};

/// One rank's part in it.
struct MemberCall {
  bool is_present = false;
  int64_t arrival_ns = 0;  // by the common clock
  uint64_t error_ns = 0;   // of that; k_unknown_ns: unknown
  uint64_t inside_ns = k_unknown_ns, whole_ns = k_unknown_ns;
  /// What this rank has worked since its collective call before; k_unknown_ns: there was none.
  uint64_t gap_ns = k_unknown_ns;
  /// The same since the run began, and of a call that does not block, until the last rank waits for its end.
  uint64_t worked_ns = 0, worked_until_waits_ns = 0;
  uint32_t place = 0, place_before = 0;  // numbers of RunPlaces; place_before: where the gap began
  uint32_t choice = 0;                   // number of RunPlaces
  algorithm::Collective collective = algorithm::Collective::barrier;  // that this rank has called
  select::CallKind interface = select::CallKind::blocking;

  bool is_over() const { return inside_ns != k_unknown_ns && whole_ns != k_unknown_ns; }
  int64_t end_ns() const { return arrival_ns + static_cast<int64_t>(whole_ns); }
  /// Of a call that does not block and is over: when the rank has begun to wait for its end.
  int64_t wait_begins_ns() const {
    return arrival_ns + static_cast<int64_t>(whole_ns - std::min(inside_ns, whole_ns));
  }
};

/// It has come, and not left.
inline bool is_under_way(const MemberCall& one) {
  return one.is_present && one.inside_ns == k_unknown_ns && one.whole_ns == k_unknown_ns;
}

struct CallInstance {
  uint32_t group = 0, sequence = 0;
  algorithm::Collective collective = algorithm::Collective::barrier;
  select::CallKind interface = select::CallKind::blocking;
  uint64_t bytes = 0;
  uint32_t root = k_no_root;
  uint32_t present = 0;
  std::vector<MemberCall> calls;  // by rank of the group
};

/// Ranks have called different collectives where all call the same.
inline bool is_mismatched(const CallInstance& call) {
  const MemberCall* first = nullptr;
  for (const MemberCall& one : call.calls) {
    if (!one.is_present) continue;
    if (first == nullptr) first = &one;
    if (one.collective != first->collective || one.interface != first->interface) return true;
  }
  return false;
}

/// The MPI's functions for calls beside collectives, by MessageCall; several may stand behind one.
inline constexpr std::string_view k_mpi_calls[] = {
    "",        "MPI_Send", "MPI_Recv", "MPI_Sendrecv", "MPI_Probe", "MPI_Wait", "a call of several ranks",
    "MPI_Test"};
static_assert(std::size(k_mpi_calls) == std::size(k_message_calls));

/// A rank has waited for messages of others, or in other calls for them, in one call.
struct MessageWait {
  Worked rank;
  std::vector<Worked> peers;  // which of them it was is not known; empty: nobody knows
  MessageCall call = MessageCall::none;
  std::string name;        // of the MPI's function
  int64_t arrival_ns = 0;  // by the common clock
  uint64_t waited_ns = 0;
};

/// A rank waits so, and no end of it is known.
struct OpenWait {
  uint32_t rank = 0;
  MessageCall call = MessageCall::none;
  std::string name;             // of the MPI's function
  std::vector<uint32_t> peers;  // of the run; empty: not known, or any
  int64_t arrival_ns = 0;       // by the common clock
};

/// Whom a rank waits for, by the meaning of the collective.
enum class Dependence : uint8_t {
  all_on_all,      // nobody can end before all have come
  all_on_root,     // bcast, scatter
  root_on_all,     // reduce, gather
  on_lower_ranks,  // scan, exscan
};
Dependence dependence_of(algorithm::Collective collective);

}  // namespace tutti::record::analysis
