#pragma once
// The interface of engines, which carry out schedules (DESIGN §4 and §6). One contract suite for every
// engine: tests/engine.

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

/// Applies a reduction operator: target[i] = source[i] op target[i] for all elements in `bytes`.
/// Never fails once bound: the binder has checked operator and type.
class Reducer {
 public:
  virtual ~Reducer() = default;
  virtual void apply(const std::byte* source, std::byte* target, uint64_t bytes) const = 0;
  virtual bool is_commutative() const = 0;
  /// By which any process finds the loop; nullopt: no other process can apply it.
  virtual std::optional<NamedOperator> name() const { return std::nullopt; }
};

/// The memory that the ranks of a node share while they execute schedules that use Slot::node.
class NodeMemory {
 public:
  virtual ~NodeMemory() = default;
  /// Memory for one operation, the same bytes on every rank of the node; empty when `bytes` do not fit.
  virtual std::span<std::byte> memory() = 0;
  /// True once every rank of the node has ended its previous operation that used this memory: writing is
  /// safe.
  virtual bool may_write() = 0;
  /// This rank has ended an operation that used the memory.
  virtual void end_operation() = 0;
};

/// Where a rank sleeps until another one of its node has news for it. No wake-up is lost in this order: prepare(), then
/// a look whether there is news; then cancel() or sleep().
class Doorbell {
 public:
  virtual ~Doorbell() = default;
  virtual void prepare() = 0;
  virtual void cancel() = 0;
  /// At most so long.
  virtual void sleep(uint64_t most_ns) = 0;
};

/// Has a say in the tasks of an operation, and hears of them, on the thread that drives it.
class TaskWatcher {
 public:
  /// The task's work has been done already: it ends where it would be carried out. Asked of copies and reductions.
  virtual bool has_done(schedule::TaskId id) const = 0;
  /// Nothing touches the task's buffers on its behalf any more. Of an operation that fails, not every task is heard of.
  virtual void task_ended(schedule::TaskId id) = 0;

 protected:
  ~TaskWatcher() = default;
};

/// What one operation works with. The memory belongs to the caller and stays valid until the operation is
/// done.
struct Bindings {
  const std::byte* input = nullptr;
  std::byte* output = nullptr;
  const Reducer* reducer = nullptr;  // needed when the schedule reduces
  transport::Tag tag = 0;
  uint8_t network = 0;  // index in Ports::networks, the same on all ranks
  /// The address is not known yet: Operation::bind_input() or bind_output() brings it.
  bool is_input_late = false;
  bool is_output_late = false;
  TaskWatcher* watcher = nullptr;  // nullptr: nobody wants to hear
};

/// What connects one rank to its peers.
struct Ports {
  static constexpr size_t k_most_networks = 4;
  /// Peer::rank and Peer::node. Bindings::network chooses one of them for an operation. The first is always
  /// there; nullptr from the first that is missing.
  std::array<transport::Endpoint*, k_most_networks> networks{};
  /// Peer::local, in operations on networks[0]. May be the same object as that; otherwise one operation uses
  /// it at a time. Operations on another network use that for Peer::local too.
  transport::Endpoint* local = nullptr;
  NodeMemory* node = nullptr;  // needed by schedules with node_bytes() > 0
  Doorbell* bell = nullptr;    // rung for what comes through `local`; nullptr: naps take their time
};

struct Limits {
  uint32_t window = 2;  // transfers in flight per channel (peer and direction), at least 1
};

/// A schedule prepared for repeated execution: its channels are known (plan.hpp).
class Plan;

/// A running operation. Belongs to its engine; valid until it is released.
class Operation {
 public:
  virtual ~Operation() = default;
  virtual bool is_done() const = 0;
  /// Once done: ok, or the first error. After an error no further task was started and nothing was retried;
  /// the transfers in flight were cancelled (transport::Endpoint::cancel), and the operation is done when all
  /// of them have ended, however long that takes: from then on no endpoint touches its buffers.
  virtual const base::Status& status() const = 0;
  /// Where progress() has moved nothing: nothing more will before an event of the network
  /// (transport::Network::arm), or before a late slot is bound.
  virtual bool awaits_event() const { return false; }

  /// Bind a slot whose address was late when the operation started, once. Tasks that touch it have waited:
  /// sends from it, receives into it, copies and reductions. All other tasks went on meanwhile, but messages
  /// that stand behind such a task in their channel. Threads: as the operation's engine.
  virtual void bind_input(const std::byte* /*input*/) {}
  virtual void bind_output(std::byte* /*output*/) {}
};

/// Starts operations and carries them out in progress() and wait().
class Engine {
 public:
  virtual ~Engine() = default;

  /// Starts an operation; its first transfers are under way when this returns. The plan, and the memory in
  /// `bindings`, stay valid until the operation is done. Errors leave nothing started: invalid_argument for
  /// bindings or ports that do not serve the plan, out_of_memory, not_supported when the node memory is too
  /// small. Slots that no task touches need no address.
  virtual base::Result<Operation*> start(const Plan& plan, const Bindings& bindings) = 0;

  /// Moves all operations on and returns at once; true when something moved. It polls the networks that its
  /// operations use, or all of them when it has no operation, and the local endpoint. It polls them even
  /// where this rank waits for nothing: a peer may need this rank's MPI to make progress for its own
  /// transfer.
  virtual bool progress() = 0;

  /// Gives a finished operation back.
  virtual void release(Operation* operation) = 0;

  /// Makes progress until `operation` is done, releases it and returns its status.
  virtual base::Status wait(Operation* operation) = 0;

  base::Status run(const Plan& plan, const Bindings& bindings) {
    base::Result<Operation*> operation = start(plan, bindings);
    return operation ? wait(*operation) : operation.status();
  }
};

}  // namespace tutti::engine
