#pragma once
// A second, simple implementation of all collectives: for all ranks at a time, on real bytes. It shares nothing with
// the algorithms nor with the verifier's specification.

#include <cstddef>
#include <span>
#include <vector>

#include "algorithm/request.hpp"
#include "engine/engine.hpp"

namespace tutti::test {

/// The memory of one rank.
struct RankMemory {
  std::vector<std::byte> input;
  std::vector<std::byte> output;    // before
  std::vector<std::byte> expected;  // the output afterwards, every byte of it: also those that stay untouched
};

/// Bytes behind the end of every output that must not be written.
inline constexpr size_t k_guard_bytes = 32;

/// Random operands for every rank, and the result. `reducer` is needed for reductions.
std::vector<RankMemory> make_memory(std::span<const algorithm::Request> every_rank,
                                    const engine::Reducer* reducer, uint64_t seed);

}  // namespace tutti::test
