#pragma once
// One entry of the request queue, packed so that one compare-and-swap changes all of it. Private to src/node.

#include <cstdint>

namespace tutti::node {

struct RequestWord {
  uint32_t sequence = 0;
  uint32_t collective = 0;  // 8 bits
  uint32_t leader = 0;      // 12 bits: a member
  uint32_t arrived = 0;     // 12 bits: members that have arrived; the last one frees the entry

  constexpr uint64_t pack() const {
    return uint64_t{sequence} << 32 | uint64_t{collective} << 24 | uint64_t{leader} << 12 | arrived;
  }
  static constexpr RequestWord unpack(uint64_t word) {
    return {static_cast<uint32_t>(word >> 32), static_cast<uint32_t>(word >> 24 & 0xff),
            static_cast<uint32_t>(word >> 12 & 0xfff), static_cast<uint32_t>(word & 0xfff)};
  }
};

}  // namespace tutti::node
