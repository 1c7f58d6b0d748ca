#pragma once
// Lets the processes of a node wake a sleeping agent: by a datagram to an abstract Unix socket (visible in
// this network namespace), which the agent polls together with the events of a network. Ringing an agent that
// is awake costs one load.

#include <sys/socket.h>
#include <sys/un.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "base/status.hpp"

namespace tutti::agent {

/// In shared memory, one per process of the node; initially zero.
struct alignas(64) AgentDoorbellFlag {
  std::atomic<uint32_t> is_asleep;
};

/// The agent's side. No ring is lost if both sides use this order:
///
///   agent:   prepare(); if (there is work) cancel(); else sleep until file() is readable; cancel()
///   ringer:  make work visible; DoorbellSender::ring()
class AgentDoorbell {
 public:
  /// `name`: of the socket, unique on the machine. Errors: system.
  static base::Result<AgentDoorbell> open(const std::string& name, AgentDoorbellFlag& flag);
  AgentDoorbell(AgentDoorbell&& other) noexcept;
  AgentDoorbell& operator=(AgentDoorbell&&) = delete;
  ~AgentDoorbell();

  int file() const { return file_; }
  /// From another thread of this process. Always sends a datagram, whether the agent sleeps or not.
  void ring();
  void prepare() {
    flag_->is_asleep.store(1, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  /// Undoes prepare() and discards pending rings.
  void cancel();

 private:
  AgentDoorbell(int file, AgentDoorbellFlag& flag, const sockaddr_un& address)
      : file_(file), flag_(&flag), address_(address) {}

  int file_;
  AgentDoorbellFlag* flag_;
  sockaddr_un address_;
};

/// The ringing side. Any thread.
class DoorbellSender {
 public:
  /// Opens a socket of this process. Errors: system.
  static base::Result<DoorbellSender> open();
  DoorbellSender(DoorbellSender&& other) noexcept;
  DoorbellSender& operator=(DoorbellSender&&) = delete;
  ~DoorbellSender();

  /// Wakes the agent with that bell address and flag, if it sleeps.
  void ring(const sockaddr_un& bell, AgentDoorbellFlag& flag) const {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (flag.is_asleep.load(std::memory_order_relaxed) == 0) return;
    if (flag.is_asleep.exchange(0, std::memory_order_acq_rel) != 0) send(bell);
  }
  /// Sends a ring; false if the bell cannot be reached.
  bool send(const sockaddr_un& bell) const;

 private:
  explicit DoorbellSender(int file) : file_(file) {}
  int file_;
};

/// Socket address of the bell with that name, truncated to the length of an address.
sockaddr_un doorbell_address(const std::string& name);

}  // namespace tutti::agent
