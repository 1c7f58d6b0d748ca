#pragma once
// Proves that the schedules of all ranks together implement a collective (DESIGN §2, consequence 2). The proof is a
// symbolic execution in which memory holds expressions instead of bytes: "the reduction of what ranks 0..3 hold at byte
// 128 of their operands". Pure; any thread. The tests and `tutti schedule --verify` use it; at run time schedules are
// not verified.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/schedule.hpp"

namespace tutti::schedule {

/// Bytes [at, at + length) of a buffer hold the reduction, in this order, of bytes [origin, origin + length) of the
/// operands of ranks first, first + 1, … (contributor_count ranks). One contributor: plain data.
struct Holding {
  uint64_t at = 0;
  uint64_t length = 0;
  Rank first = 0;
  Rank contributor_count = 1;
  uint64_t origin = 0;
};

/// Contents of one rank's buffers when the operation starts, and the required contents at its end.
struct RankContents {
  std::vector<Holding> input;
  std::vector<Holding> output_before;
  /// The complete result. Bytes of the output that appear neither here nor in output_before must stay untouched.
  std::vector<Holding> output_after;
};

/// The required result of the schedules, and the placement of the ranks.
struct Problem {
  std::span<const RankContents> ranks;
  std::span<const int32_t> node_of_rank;
  std::span<const Rank> leader_of_node;  // resolves Peer::node
  bool commutative = true;               // of the reduction operator
  uint64_t element_bytes = 1;            // reductions never cut an element
  bool synchronises = false;             // no rank may leave before all have arrived
};

/// Reasons to reject schedules. The checks run in this order; the first failure is reported.
enum class Failure : uint8_t {
  none,
  build,              // the algorithm returned an error (reported by algorithm/specification.hpp)
  structure,          // impossible peer, overlapping operands, unequal node memory, …
  unmatched_send,     // a message without a receive
  unmatched_receive,  // a receive without a message
  size_mismatch,      // the n-th send and the n-th receive of a channel differ in length
  deadlock,           // without buffering and with one message in flight per channel
  race,               // two tasks of one rank access the same bytes in no fixed order, and one of them writes
  node_race,          // the same for tasks of different ranks in the memory of their node
  uninitialised_read,  // reads bytes that were never written
  bad_reduction,       // invalid operands: misaligned, contribution counted twice, cut element
  wrong_order,         // all contributions are present, but in the wrong order for a non-commutative operator
  wrong_result,        // the output differs from the specification of the collective
  stray_write,         // writes to output bytes that do not belong to the result
  not_synchronised,    // a rank may leave a barrier before another has arrived
  cost,                // counted rounds or bytes differ from the documented formula (reported as for `build`)
};

std::string_view to_string(Failure failure);

/// Counted during the symbolic execution.
struct Counts {
  /// Messages on the longest chain in which each is sent only after the previous one was received or sent. A receive
  /// that waits, for instance for its buffer, delays no sender and therefore does not count.
  uint64_t rounds = 0;
  uint64_t busiest_bytes = 0;  // maximum over ranks of the bytes sent
  uint64_t messages = 0;
  uint64_t tasks = 0;
};

struct VerifyReport {
  Failure failure = Failure::none;
  Rank rank = -1;           // -1 if the failure concerns no particular rank
  TaskId task = k_no_task;  // k_no_task if the failure concerns no particular task
  std::string message;      // one line that names rank and task; empty when verified
  Counts counts;            // valid when verified, and for Failure::cost

  bool is_ok() const { return failure == Failure::none; }
};

/// Verifies one schedule per rank, in rank order. Success means:
///  - every send matches exactly one receive of the same size (channel rule of task.hpp);
///  - the schedules cannot deadlock, even if a transport buffers nothing and allows only one message per channel in
///    flight;
///  - conflicting accesses to the same bytes are ordered: inside a rank by dependencies alone; between ranks that share
///    a node's memory by dependencies and messages. Of a message only the guarantee of an eager send counts: tasks that
///    completed before the send started precede tasks that start after the receive completed, not the reverse;
///  - the final output is exactly `output_after` for every order that an engine may choose.
VerifyReport verify(const Problem& problem, std::span<const Schedule> every_rank);

}  // namespace tutti::schedule
