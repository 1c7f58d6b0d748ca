#pragma once
// The descriptor that software passes to the NIC (paper 003 §2.2): a complete collective for one node. Its
// binary layout is in descriptor_words.hpp and docs/offload-descriptor.md.
//
// Rounds. The notifications of round r are sent once all receives of earlier rounds have arrived (round 0:
// once the host has posted the descriptor). The collective is complete when all receives of all rounds have
// arrived. A notification is identified by (barrier id, epoch, round, source).
//
// Pure data; any thread.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.hpp"

namespace tutti::offload {

/// A node's rank in its communicator. Unsigned, because 20 rounds of radix 3 reach more than 2^31 nodes.
using NodeId = uint32_t;

inline constexpr size_t k_most_rounds = 20;   // paper 003 §2.2
inline constexpr size_t k_most_peers = 15;    // sends, and receives, of one round
inline constexpr size_t k_most_elements = 8;  // of 8 bytes each

enum class Kind : uint8_t { barrier = 1, allreduce = 2 };

/// Operators on values. `bit_and` and `bit_or` are for integers only.
enum class Operator : uint8_t { none = 0, sum = 1, min = 2, max = 3, bit_and = 4, bit_or = 5 };

enum class ElementType : uint8_t { none = 0, int64 = 1, uint64 = 2, float64 = 3 };

/// How completion is signalled to the host.
enum class Completion : uint8_t {
  queue_entry = 1,   // an entry of the completion queue, which holds the cookie (and the result)
  memory_write = 2,  // the epoch is written to the address (allreduce: after the result)
  interrupt = 3,     // a queue entry, and an interrupt
};

/// How a round processes the values that it receives.
enum class Action : uint8_t {
  none = 0,     // no values
  combine = 1,  // value = received[0] op … op own op …, from left to right
  replace = 2,  // value = received[0]
};

struct Round {
  std::vector<NodeId> sends;     // in the order in which they are sent; no node twice
  std::vector<NodeId> receives;  // in the order in which they are combined; no node twice
  Action action = Action::none;
  /// Action::combine: number of received values to the left of the own one.
  uint8_t own_position = 0;
  bool operator==(const Round&) const = default;
};

struct Descriptor {
  Kind kind = Kind::barrier;
  Completion completion = Completion::queue_entry;
  uint16_t barrier_id = 0;  // the communicator
  uint32_t epoch = 0;       // counts the collectives of the communicator, and wraps
  uint32_t nodes = 1;       // of the communicator
  NodeId rank = 0;          // this node
  /// memory_write: an address, aligned to 8 bytes and not 0. Otherwise a cookie that is copied to the queue
  /// entry.
  uint64_t completion_address = 0;

  // Allreduce only.
  Operator op = Operator::none;
  ElementType type = ElementType::none;
  uint8_t element_count = 0;                        // 1 … 8
  std::array<uint64_t, k_most_elements> operand{};  // this node's contribution, bit patterns; the rest is 0

  /// Rounds without messages may precede others, so that all nodes count alike; the last round has messages.
  std::vector<Round> rounds;

  bool operator==(const Descriptor&) const = default;
};

/// Ok if a NIC can execute the descriptor: everything is within its range and consistent. Error:
/// invalid_argument, one line with the error and its position. consistency.hpp checks the descriptors of
/// several nodes against each other.
base::Status check(const Descriptor& descriptor);

std::string_view to_string(Kind kind);              // "barrier", "allreduce"
std::string_view to_string(Operator op);            // "none", "sum", "min", "max", "and", "or"
std::string_view to_string(ElementType type);       // "none", "int64", "uint64", "float64"
std::string_view to_string(Completion completion);  // "queue entry", "memory write", "interrupt"
std::string_view to_string(Action action);          // "none", "combine", "replace"

}  // namespace tutti::offload
