#pragma once
// Who carries out schedules (DESIGN §4 and §6). One contract for every engine: tests/engine.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/status.hpp"
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
};

/// What a rank shares with its node while it executes schedules that use Slot::node.
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

/// Addresses for the symbolic buffers of one operation. They belong to the caller and stay valid until it
/// ends.
struct Bindings {
  const std::byte* input = nullptr;
  std::byte* output = nullptr;
  const Reducer* reducer = nullptr;  // needed when the schedule reduces
  transport::Tag tag = 0;
  bool on_second_network = false;  // the same on all ranks; only where there is one
};

/// The ways of one rank to its peers.
struct Ports {
  transport::Endpoint* network = nullptr;  // Peer::rank and Peer::node
  /// Peer::local. May be the same object as `network`; otherwise one operation uses it at a time.
  transport::Endpoint* local = nullptr;
  NodeMemory* node = nullptr;  // needed by schedules with node_bytes() > 0
  /// In place of both for the operations that say so: they leave the others alone.
  transport::Endpoint* second_network = nullptr;
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
  /// (transport::Network::arm).
  virtual bool awaits_event() const { return false; }
};

/// Starts operations and carries them out while somebody calls progress() or wait().
class Engine {
 public:
  virtual ~Engine() = default;

  /// Starts an operation; its first transfers are under way when this returns. The plan, and the memory in
  /// `bindings`, stay valid until the operation is done. Errors leave nothing started: invalid_argument for
  /// bindings or ports that do not serve the plan, out_of_memory, not_supported when the node memory is too
  /// small.
  virtual base::Result<Operation*> start(const Plan& plan, const Bindings& bindings) = 0;

  /// Moves all operations on and returns at once; true when something moved. It always polls every endpoint,
  /// even when this rank waits for nothing there: a peer may need our MPI to make progress for its own
  /// transfer. Only of the two networks it leaves that alone which no operation uses.
  virtual bool progress() = 0;

  /// Gives a finished operation back.
  virtual void release(Operation* operation) = 0;

  /// Drives everything until `operation` is done, releases it and returns its status.
  virtual base::Status wait(Operation* operation) = 0;

  base::Status run(const Plan& plan, const Bindings& bindings) {
    base::Result<Operation*> operation = start(plan, bindings);
    return operation ? wait(*operation) : operation.status();
  }
};

}  // namespace tutti::engine
