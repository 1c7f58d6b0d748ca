#include "agent/agent_doorbell.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <utility>

namespace tutti::agent {

using base::Status;

namespace {

int open_socket() {
  return socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

/// A full queue contains rings that the agent has not received yet: one more would not add anything.
bool send_ring(int file, const sockaddr_un& bell) {
  const char ring = 1;
  const ssize_t sent = sendto(file, &ring, sizeof ring, MSG_NOSIGNAL, generic(bell), sizeof bell);
  return sent >= 0 || errno == EAGAIN || errno == ENOBUFS;
}

}  // namespace

/// An abstract socket, which vanishes with its process: the name follows a null byte, and is padded with null
/// bytes.
sockaddr_un doorbell_address(const std::string& name) {
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  const size_t length = std::min(name.size(), sizeof address.sun_path - 1);
  std::copy_n(name.begin(), length, address.sun_path + 1);
  return address;
}

base::Result<AgentDoorbell> AgentDoorbell::open(const std::string& name, AgentDoorbellFlag& flag) {
  const int file = open_socket();
  if (file < 0) return Status::system("no socket for the bell of an agent", errno);
  const sockaddr_un address = doorbell_address(name);
  AgentDoorbell bell(file, flag, address);
  if (bind(file, generic(address), sizeof address) != 0)
    return Status::system("no name for the bell of an agent", errno);
  return bell;
}

AgentDoorbell::AgentDoorbell(AgentDoorbell&& other) noexcept
    : file_(std::exchange(other.file_, -1)), flag_(other.flag_), address_(other.address_) {}

AgentDoorbell::~AgentDoorbell() {
  if (file_ >= 0) close(file_);
}

void AgentDoorbell::ring() {
  send_ring(file_, address_);
}

void AgentDoorbell::cancel() {
  flag_->is_asleep.store(0, std::memory_order_relaxed);
  std::array<char, 8> rung;
  while (recv(file_, rung.data(), rung.size(), 0) >= 0) continue;
}

base::Result<DoorbellSender> DoorbellSender::open() {
  const int file = open_socket();
  if (file < 0) return Status::system("no socket for ringing agents", errno);
  return DoorbellSender(file);
}

DoorbellSender::DoorbellSender(DoorbellSender&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

DoorbellSender::~DoorbellSender() {
  if (file_ >= 0) close(file_);
}

bool DoorbellSender::send(const sockaddr_un& bell) const {
  return send_ring(file_, bell);
}

}  // namespace tutti::agent
