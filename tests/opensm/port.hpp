#pragma once
// This machine's InfiniBand port, real or simulated, for programs that send management datagrams (MADs).

#include <infiniband/umad.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.hpp"

namespace tutti::opensm_test {

/// One open port, registered for one management class: the simulator's library cannot stand two. Not for
/// several threads at once.
class Port {
 public:
  /// `management_class` as umad.h names them. Errors: system.
  static base::Result<Port> open(uint8_t management_class, uint8_t class_version);
  Port(Port&& other) noexcept;
  Port& operator=(Port&&) = delete;
  ~Port();

  uint64_t guid() const { return guid_; }
  uint16_t sm_lid() const { return sm_lid_; }

  /// Where a datagram goes: a LID and queue pair, or along the path inside a directed-route packet.
  struct Address {
    uint16_t lid;
    uint32_t queue_pair, q_key;
  };
  static constexpr Address k_directed_route{0xFFFF, 0, 0};

  /// Sends 256 bytes. Errors: system.
  base::Status send(const void* mad, const Address& to);
  /// Waits for an answer of 256 bytes. False when none came in time.
  bool receive(void* mad, int timeout_ms);

 private:
  Port() = default;

  int port_ = -1, agent_ = -1;
  uint64_t guid_ = 0;
  uint16_t sm_lid_ = 0;
  std::vector<uint8_t> buffer_;
};

inline constexpr int k_mad_bytes = 256;

}  // namespace tutti::opensm_test
