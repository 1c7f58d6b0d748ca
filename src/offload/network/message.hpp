#pragma once
// Messages in the network: packets of barrier engines and of competing traffic.

#include <cstdint>

#include "offload/nic/packet.hpp"

namespace tutti::offload::network {

/// Classes of virtual channels. Responses never wait for requests, and neither of them waits for bulk data.
enum class MessageClass : uint8_t { request = 0, response = 1, bulk = 2 };
inline constexpr uint32_t k_classes = 3;

struct Message {
  nic::Packet packet;  // of a barrier engine, or of a host (which uses id, epoch, round, source)
  uint32_t source = 0, destination = 0;  // nodes
  uint32_t bytes = 0;                    // without the link's framing
};

}  // namespace tutti::offload::network
