#pragma once
// The binary form of a descriptor: 64-bit words, little-endian in memory, version 1. A NIC can read it
// sequentially; a round depends on no later word. docs/offload-descriptor.md has the same table with an
// example.
//
//   word     bits    field
//   0        0-31    magic, "TBAR" in memory (0x52414254)
//            32-39   version, 1
//            40-47   kind: 1 barrier, 2 allreduce
//            48-55   completion: 1 queue entry, 2 memory write, 3 interrupt
//            56-63   flags, 0
//   1        0-15    length of the whole descriptor in words
//            16-23   number of rounds, 0 … 20
//            24-31   operator: 0 none, 1 sum, 2 min, 3 max, 4 and, 5 or
//            32-39   element type: 0 none, 1 int64, 2 uint64, 3 float64
//            40-47   number of elements, 0 … 8
//            48-63   barrier id
//   2        0-31    number of nodes
//            32-63   own rank
//   3        0-31    epoch
//            32-63   CRC-32 (IEEE 802.3) of all bytes, with this field as 0
//   4        0-63    completion address or cookie
//   5 …              the operand, one word per element
//   then, per round, one word:
//            0-7     number of sends s, 0 … 15
//            8-15    number of receives n, 0 … 15
//            16-23   action: 0 none, 1 combine, 2 replace
//            24-31   position of the own value, 0 … n
//            32-63   0
//     ⌈s/2⌉ words    destination ranks, two per word, the first one in bits 0-31; unused bits are 0
//     ⌈n/2⌉ words    source ranks, likewise
//
// Pure; any thread.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "offload/descriptor.hpp"

namespace tutti::offload {

inline constexpr uint32_t k_descriptor_magic = 0x52414254;  // "TBAR"
inline constexpr uint8_t k_descriptor_version = 1;
inline constexpr size_t k_header_words = 5;
inline constexpr uint32_t k_crc_polynomial = 0xedb88320;  // IEEE 802.3, bits reversed
/// The longest descriptor: 20 rounds of 15 sends and 15 receives, 8 elements.
inline constexpr size_t k_most_words =
    k_header_words + k_most_elements + k_most_rounds * (1 + 2 * ((k_most_peers + 1) / 2));

/// Encodes a descriptor. Errors: those of check().
base::Result<std::vector<uint64_t>> encode(const Descriptor& descriptor);

/// Decodes exactly these words. Rejects everything that encode() would not have written. Error:
/// invalid_argument, one line.
base::Result<Descriptor> decode(std::span<const uint64_t> words);

/// Convert words to bytes in memory order, and back. from_bytes() fails unless the size is a whole number of
/// words.
std::string to_bytes(std::span<const uint64_t> words);
base::Result<std::vector<uint64_t>> from_bytes(std::string_view bytes);

/// CRC-32 of the words with the checksum field as 0, as stored in the header. `words` has at least 4 words.
uint32_t checksum(std::span<const uint64_t> words);

}  // namespace tutti::offload
