#pragma once
// The interface of engines, which execute schedules (DESIGN §4 and §6). One contract test suite for all
// engines: tests/engine.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/status.hpp"
#include "engine/reduce_kernels.hpp"
#include "schedule/schedule.hpp"
#include "transport/endpoint.hpp"

namespace tutti::engine {

/// Applies a reduction operator: target[i] = source[i] op target[i] for all elements in `bytes`. Cannot fail:
/// the creator has checked operator and type.
class Reducer {
 public:
  virtual ~Reducer() = default;
  virtual void apply(const std::byte* source, std::byte* target, uint64_t bytes) const = 0;
  virtual bool is_commutative() const = 0;
  /// Identifies the reduction loop in any process; nullopt: no other process can apply it.
  virtual std::optional<NamedOperator> name() const { return std::nullopt; }
};

/// The memory that the ranks of a node share while they execute schedules with Slot::node.
class NodeMemory {
 public:
  virtual ~NodeMemory() = default;
  /// Memory for one operation, the same on every rank of the node. The caller compares its size with the
  /// schedule's node_bytes().
  virtual std::span<std::byte> memory() = 0;
  /// True once every rank of the node has ended its previous operation that used this memory: writing is
  /// safe.
  virtual bool may_write() = 0;
  /// Call when this rank has ended an operation that used the memory.
  virtual void end_operation() = 0;
};

/// Lets a rank sleep until another rank of its node wakes it. No wake-up is lost in this order: prepare(),
/// then a poll for news, then cancel() or sleep().
class Doorbell {
 public:
  virtual ~Doorbell() = default;
  virtual void prepare() = 0;
  virtual void cancel() = 0;
  /// Sleeps at most `most_ns`.
  virtual void sleep(uint64_t most_ns) = 0;
};

/// Observes the tasks of an operation, and may take over their work, on the thread that drives the operation.
class TaskWatcher {
 public:
  /// True if the task's work has been done already: the engine then ends it without executing it. Called for
  /// copies and reductions.
  virtual bool has_done(schedule::TaskId id) const = 0;
  /// The operation no longer accesses the task's buffers for this task. Not called for every task of a failed
  /// operation.
  virtual void task_ended(schedule::TaskId id) = 0;

 protected:
  ~TaskWatcher() = default;
};

/// The buffers and parameters of one operation. The memory belongs to the caller and must stay valid until
/// the operation is done.
struct Bindings {
  const std::byte* input = nullptr;
  std::byte* output = nullptr;
  const Reducer* reducer = nullptr;  // required if the schedule reduces
  transport::Tag tag = 0;
  uint8_t network = 0;  // index in Ports::networks, the same on all ranks
  /// The address is not known yet: Operation::bind_input() or bind_output() sets it later.
  bool is_input_late = false;
  bool is_output_late = false;
  TaskWatcher* watcher = nullptr;  // nullptr: none
};

/// The connections of one rank to its peers.
struct Ports {
  static constexpr size_t k_most_networks = 4;
  /// For Peer::rank and Peer::node. Bindings::network selects one for an operation. The first always exists;
  /// unused entries at the end are nullptr.
  std::array<transport::Endpoint*, k_most_networks> networks{};
  /// For Peer::local, in operations on networks[0]. May be the same object as that; otherwise one operation
  /// uses it at a time. Operations on another network use that network for Peer::local too.
  transport::Endpoint* local = nullptr;
  NodeMemory* node = nullptr;  // required by schedules with node_bytes() > 0
  Doorbell* bell = nullptr;    // rung for messages through `local`; nullptr: naps are not interrupted
};

struct Limits {
  uint32_t window = 2;  // transfers in flight per channel (peer and direction), at least 1
};

/// A schedule prepared for repeated execution, with its channels computed (plan.hpp).
class Plan;

/// A running operation. Belongs to its engine; valid until released.
class Operation {
 public:
  virtual ~Operation() = default;
  virtual bool is_done() const = 0;
  /// Once done: ok, or the first error. After an error no further task is started and nothing is retried; the
  /// transfers in flight are cancelled (transport::Endpoint::cancel), and the operation is done when all of
  /// them have ended, however long that takes: from then on no endpoint accesses its buffers.
  virtual const base::Status& status() const = 0;
  /// After a progress() that moved nothing: true if only an event of the network (transport::Network::arm) or
  /// the binding of a late slot can move the operation on.
  virtual bool awaits_event() const { return false; }

  /// Bind a slot whose address was late when the operation started; call once. Tasks that touch it wait until
  /// then: sends from it, receives into it, copies and reductions. All other tasks run, except messages
  /// behind such a task in their channel. Threads: as the operation's engine.
  virtual void bind_input(const std::byte* /*input*/) {}
  virtual void bind_output(std::byte* /*output*/) {}
};

/// Starts operations and executes them in progress() and wait().
class Engine {
 public:
  virtual ~Engine() = default;

  /// Starts an operation; its first transfers are in flight when this returns. The plan and the memory in
  /// `bindings` must stay valid until the operation is done. After an error nothing was started:
  /// invalid_argument for bindings or ports that do not fit the plan, out_of_memory, not_supported if the
  /// node memory is too small. Slots that no task touches need no address.
  virtual base::Result<Operation*> start(const Plan& plan, const Bindings& bindings) = 0;

  /// Advances all operations and returns without blocking; true if something moved. Polls the networks of its
  /// operations, or all of them if it has no operation, and the local endpoint. It polls them even if this
  /// rank waits for nothing: a peer may need progress of this rank's MPI for its own transfer.
  virtual bool progress() = 0;

  /// Releases a finished operation.
  virtual void release(Operation* operation) = 0;

  /// Makes progress until `operation` is done, releases it and returns its status.
  virtual base::Status wait(Operation* operation) = 0;

  base::Status run(const Plan& plan, const Bindings& bindings) {
    base::Result<Operation*> operation = start(plan, bindings);
    return operation ? wait(*operation) : operation.status();
  }
};

}  // namespace tutti::engine
