#pragma once
// The elements of schedules: tasks over symbolic buffers (DESIGN §2 and §4). All types here are trivially copyable,
// contain no address and do not depend on MPI.

#include <cstdint>
#include <limits>

namespace tutti::schedule {

using Rank = int32_t;
using TaskId = uint32_t;

/// "No task": allowed wherever a dependency is expected, and ignored there.
inline constexpr TaskId k_no_task = std::numeric_limits<TaskId>::max();

enum class TaskKind : uint8_t {
  send,    // source -> peer
  recv,    // peer -> target
  copy,    // source -> target
  reduce,  // target = source op target (or target op source, see OperandOrder)
  nop,     // joins dependencies
};

/// Which operand is the left one; relevant for operators that do not commute.
enum class OperandOrder : uint8_t { source_first, target_first };

/// The memory that a task accesses. Addresses are bound when an operation starts.
enum class Slot : uint8_t {
  input,    // the caller's send buffer; never written
  output,   // the caller's receive buffer (bcast: the only buffer, on every rank)
  scratch,  // private to this rank and operation
  node,     // shared by all ranks of one node
};

struct BufRef {
  Slot slot = Slot::scratch;
  uint64_t offset = 0;  // bytes
  uint64_t length = 0;  // bytes

  /// The part [from, from + bytes) of this buffer.
  constexpr BufRef part(uint64_t from, uint64_t bytes) const { return {slot, offset + from, bytes}; }
  constexpr bool empty() const { return length == 0; }
  constexpr uint64_t end() const { return offset + length; }
  bool operator==(const BufRef&) const = default;
};

/// The other side of a message.
struct Peer {
  enum class Kind : uint8_t {
    none,
    rank,   // a rank, over the network endpoint
    local,  // a rank of the same node, over shared memory (node/), or over the network without shared memory
    node,   // the rank that leads that node when the message arrives; requires Capabilities::can_address_node
  };
  Kind kind = Kind::none;
  Rank index = -1;  // a rank, or a node number for Kind::node

  static constexpr Peer rank(Rank r) { return {Kind::rank, r}; }
  static constexpr Peer local(Rank r) { return {Kind::local, r}; }
  static constexpr Peer node(int32_t n) { return {Kind::node, n}; }
  bool operator==(const Peer&) const = default;
};

/// One step of one rank.
///
/// Channel rule. The messages between two ranks over one kind of peer form a channel in each direction. In a channel
/// messages never overtake: the n-th send in task order matches the n-th receive in task order, and an engine starts
/// them in that order. Any limit on the messages in flight per channel is therefore safe.
struct Task {
  TaskKind kind = TaskKind::nop;
  OperandOrder order = OperandOrder::source_first;
  uint16_t priority = 0;  // among ready tasks of different channels the smaller value runs first
  Peer peer;
  BufRef source;
  BufRef target;
};

}  // namespace tutti::schedule
