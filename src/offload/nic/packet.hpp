#pragma once
// The packets between barrier engines (docs/offload-engine.md, "Packets").

#include <array>
#include <cstdint>

#include "offload/descriptor.hpp"

namespace tutti::offload::nic {

inline constexpr uint32_t k_value_words = k_most_elements;

using Value = std::array<uint64_t, k_value_words>;

enum class PacketKind : uint8_t { none = 0, notification = 1, ack = 2, nack = 3 };

/// One notification, or the response to it. Values must fit into the packet's fields, whose widths are given.
struct Packet {
  PacketKind kind = PacketKind::none;
  uint8_t round = 0;       // 5 bits
  uint8_t words = 0;       // length of the payload; 4 bits
  uint8_t send_index = 0;  // index in the round's send list; responses echo it; 4 bits
  uint16_t id = 0;
  uint32_t epoch = 0;
  uint32_t source = 0, destination = 0;
  Value payload{};
  bool operator==(const Packet&) const = default;
};

/// The two header words.
constexpr std::array<uint64_t, 2> header_words(const Packet& packet) {
  return {static_cast<uint64_t>(packet.kind) | uint64_t{packet.round} << 2 | uint64_t{packet.words} << 7 |
              uint64_t{packet.send_index} << 11 | uint64_t{packet.id} << 16 | uint64_t{packet.epoch} << 32,
          uint64_t{packet.source} | uint64_t{packet.destination} << 32};
}

/// Number of bytes between the framing of a link and its CRC.
constexpr uint32_t packet_bytes(const Packet& packet) {
  return 16 + 8 * packet.words;
}

/// The response to a notification.
constexpr Packet response_to(const Packet& packet, PacketKind kind) {
  return {.kind = kind,
          .round = packet.round,
          .words = 0,
          .send_index = packet.send_index,
          .id = packet.id,
          .epoch = packet.epoch,
          .source = packet.destination,
          .destination = packet.source};
}

/// a ≥ b for times and epochs, with wrap-around.
constexpr bool is_at_or_after(uint32_t a, uint32_t b) {
  return static_cast<int32_t>(a - b) >= 0;
}

}  // namespace tutti::offload::nic
