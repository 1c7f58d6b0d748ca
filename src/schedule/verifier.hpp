#pragma once
// Proves that the schedules of all ranks together do what a collective promises (DESIGN §2, consequence 2).
// The proof is an execution in which memory holds expressions instead of bytes: "the reduction of what ranks
// 0..3 hold at byte 128 of their operands". Pure; any thread. No schedule runs unverified.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/schedule.hpp"

namespace tutti::schedule {

/// Bytes [at, at + length) of a buffer hold the reduction, in this order, of what the ranks first, first + 1,
/// … (contributor_count of them) hold at [origin, origin + length) of their operands. One contributor: plain
/// data.
struct Holding {
  uint64_t at = 0;
  uint64_t length = 0;
  Rank first = 0;
  Rank contributor_count = 1;
  uint64_t origin = 0;
};

/// What one rank holds when the operation starts, and what it must hold at the end.
struct RankContents {
  std::vector<Holding> input;
  std::vector<Holding> output_before;
  /// All of it. Bytes of the output that appear neither here nor in output_before stay untouched.
  std::vector<Holding> output_after;
};

/// What the schedules have to achieve, and where the ranks are.
struct Problem {
  std::span<const RankContents> ranks;
  std::span<const int32_t> node_of_rank;
  std::span<const Rank> leader_of_node;  // resolves Peer::node
  bool commutative = true;               // of the reduction operator
  uint64_t element_bytes = 1;            // reductions never cut an element
  bool synchronises = false;             // no rank may leave before all have arrived
};

/// Why schedules were rejected. The checks run in this order; the first failure is reported.
enum class Failure : uint8_t {
  none,
  build,               // the algorithm returned an error (reported by algorithm/specification.hpp)
  structure,           // impossible peer, overlapping operands, unequal node memory, …
  unmatched_send,      // a message without a receive
  unmatched_receive,   // a receive without a message
  size_mismatch,       // the k-th send and the k-th receive of a channel differ in length
  deadlock,            // without buffering and with one message in flight per channel
  race,                // two tasks of one rank touch the same bytes in no order, and one of them writes
  node_race,           // the same for tasks of different ranks in the memory of their node
  uninitialised_read,  // reads bytes that hold nothing
  bad_reduction,       // impossible operands: misaligned, counted twice, cut element
  wrong_order,         // all contributions are there, in the wrong order for a non-commutative operator
  wrong_result,        // the output does not hold what the collective promises
  stray_write,         // writes to the output outside of the result
  not_synchronised,    // a rank may leave a barrier before another has arrived
  cost,                // counted rounds or bytes differ from the documented formula (reported as for `build`)
};

std::string_view to_string(Failure failure);

/// What was counted while the schedules were executed.
struct Counts {
  /// Messages on the longest chain in which each is sent only after the one before has been received or sent.
  /// That a receive waits, for instance for its buffer, delays no sender and therefore counts for nothing.
  uint64_t rounds = 0;
  uint64_t busiest_bytes = 0;  // most bytes that one rank sends
  uint64_t messages = 0;
  uint64_t tasks = 0;
};

struct VerifyReport {
  Failure failure = Failure::none;
  Rank rank = -1;           // where; -1 when it concerns no rank in particular
  TaskId task = k_no_task;  // where; k_no_task when it concerns no task in particular
  std::string message;      // one line that names rank and task; empty when verified
  Counts counts;            // valid when verified, and for Failure::cost

  bool is_ok() const { return failure == Failure::none; }
};

/// Verifies one schedule per rank, in rank order. What holds afterwards:
///  - every send meets exactly one receive of the same size (channel rule of task.hpp);
///  - they cannot deadlock, even if a transport buffers nothing and only one message per channel is in
///    flight;
///  - conflicting accesses to the same bytes are ordered: inside a rank by dependencies alone; between ranks
///    that share a node's memory by dependencies and messages, counting only on what an eager send
///    guarantees: what completed before the send started precedes what starts after the receive completed,
///    not the reverse;
///  - the final output is exactly `output_after`, whatever order an engine chooses.
VerifyReport verify(const Problem& problem, std::span<const Schedule> every_rank);

}  // namespace tutti::schedule
