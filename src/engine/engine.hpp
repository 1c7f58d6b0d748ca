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
  /// True once every rank of the node has ended its previous operation that used this memory: writing is safe.
  virtual bool may_write() = 0;
  /// This rank has ended an operation that used the memory.
  virtual void end_operation() = 0;
};

/// Addresses for the symbolic buffers of one operation. They belong to the caller and stay valid until it ends.
struct Bindings {
  const std::byte* input = nullptr;
  std::byte* output = nullptr;
  const Reducer* reducer = nullptr;  // needed when the schedule reduces
  transport::Tag tag = 0;
};

/// The ways of one rank to its peers.
struct Ports {
  transport::Endpoint* network = nullptr;  // Peer::rank and Peer::node
  transport::Endpoint* local = nullptr;    // Peer::local; may be the same object as `network`
  NodeMemory* node = nullptr;              // needed by schedules with node_bytes() > 0
};

/// A schedule prepared for repeated execution: its channels are known, its counters have their place.
class Plan;

/// A running operation.
class Operation {
 public:
  virtual ~Operation() = default;
  virtual bool is_done() const = 0;
  /// Once done: ok, or the first error. After an error no further task was started, and all transfers that had
  /// been started have ended.
  virtual const base::Status& status() const = 0;
};

struct Limits {
  uint32_t window = 2;  // transfers in flight per channel (peer and direction), at least 1
};

}  // namespace tutti::engine
