#include "port.hpp"

#include <arpa/inet.h>
#include <endian.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace tutti::opensm_test {

using base::Result;
using base::Status;

Result<Port> Port::open(uint8_t management_class, uint8_t class_version) {
  Port opened;
  if (umad_init() < 0) return Status::system("umad_init", errno);
  umad_port_t description;
  if (umad_get_port(nullptr, 0, &description) < 0) return Status::system("umad_get_port", errno);
  opened.guid_ = be64toh(description.port_guid);
  opened.sm_lid_ = static_cast<uint16_t>(description.sm_lid);
  umad_release_port(&description);
  opened.port_ = umad_open_port(nullptr, 0);
  if (opened.port_ < 0) return Status::system("umad_open_port", errno);
  opened.agent_ = umad_register(opened.port_, management_class, class_version, 0, nullptr);
  if (opened.agent_ < 0) return Status::system("umad_register", errno);
  opened.buffer_.resize(umad_size() + k_mad_bytes);
  return opened;
}

Port::Port(Port&& other) noexcept
    : port_(std::exchange(other.port_, -1)),
      agent_(std::exchange(other.agent_, -1)),
      guid_(other.guid_),
      sm_lid_(other.sm_lid_),
      buffer_(std::move(other.buffer_)) {}

Port::~Port() {
  if (agent_ >= 0) umad_unregister(port_, agent_);
  if (port_ >= 0) umad_close_port(port_);
}

Status Port::send(const void* mad, const Address& to) {
  std::memset(buffer_.data(), 0, buffer_.size());
  std::memcpy(umad_get_mad(buffer_.data()), mad, k_mad_bytes);
  umad_set_addr(buffer_.data(), to.lid, static_cast<int>(to.queue_pair), 0, static_cast<int>(to.q_key));
  constexpr int k_timeout_ms = 30'000, k_retries = 0;
  if (umad_send(port_, agent_, buffer_.data(), k_mad_bytes, k_timeout_ms, k_retries) < 0)
    return Status::system("umad_send", errno);
  return {};
}

bool Port::receive(void* mad, int timeout_ms) {
  int length = k_mad_bytes;
  if (umad_recv(port_, buffer_.data(), &length, timeout_ms) < 0 || umad_status(buffer_.data()) != 0)
    return false;
  std::memcpy(mad, umad_get_mad(buffer_.data()), k_mad_bytes);
  return true;
}

}  // namespace tutti::opensm_test
