#pragma once
// Descriptors that several tests need.

#include "offload/descriptor.hpp"
#include "offload/rounds.hpp"

namespace tutti::offload {

inline Descriptor barrier_of(uint32_t nodes, NodeId rank, uint32_t radix,
                             pattern::DisseminationShape shape = pattern::DisseminationShape::forward) {
  Descriptor d{.nodes = nodes, .rank = rank};
  d.rounds = dissemination(nodes, rank, radix, shape).value();
  return d;
}

inline Descriptor allreduce_of(uint32_t nodes, NodeId rank, uint32_t radix, uint8_t elements = 1) {
  Descriptor d{.kind = Kind::allreduce, .nodes = nodes, .rank = rank};
  d.op = Operator::sum;
  d.type = ElementType::int64;
  d.element_count = elements;
  for (uint8_t i = 0; i < elements; ++i) d.operand[i] = 100 * uint64_t{rank} + i;
  d.rounds = recursive_multiplying(nodes, rank, radix).value();
  return d;
}

/// Rank 5 of 128 with the two-way form of the paper, as docs/offload-descriptor.md shows it.
inline Descriptor documented() {
  Descriptor d = barrier_of(128, 5, 3, pattern::DisseminationShape::symmetric);
  d.barrier_id = 7;
  d.epoch = 42;
  d.completion_address = 0xc0ffee;
  return d;
}

}  // namespace tutti::offload
