#pragma once
// How the processes of a node wake an agent that sleeps: a datagram to a socket that only this machine's network
// namespace knows, which can be waited for together with the events of a network. Ringing for an agent that is awake
// costs one load.

#include <sys/socket.h>
#include <sys/un.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "base/status.hpp"

namespace tutti::agent {

/// In shared memory, one for each process of the node; starts as zeroes.
struct alignas(64) BellFlag {
  std::atomic<uint32_t> is_asleep;
};

/// The side of the agent. No ring is lost when both sides keep to this order:
///
///   agent:   prepare(); if (there is work) cancel(); else sleep until file() can be read; cancel()
///   ringer:  make work visible; Ringer::ring()
class Bell {
 public:
  /// `name`: of the socket, unique on the machine. Errors: system.
  static base::Result<Bell> open(const std::string& name, BellFlag& flag);
  Bell(Bell&& other) noexcept;
  Bell& operator=(Bell&&) = delete;
  ~Bell();

  int file() const { return file_; }
  /// From another thread of this process. Never in vain, whether the agent sleeps or not.
  void ring();
  void prepare() {
    flag_->is_asleep.store(1, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  /// Takes prepare() back, and what has been rung.
  void cancel();

 private:
  Bell(int file, BellFlag& flag, const sockaddr_un& address) : file_(file), flag_(&flag), address_(address) {}

  int file_;
  BellFlag* flag_;
  sockaddr_un address_;
};

/// The side of those who ring. Any thread.
class Ringer {
 public:
  /// A socket of this process. Errors: system.
  static base::Result<Ringer> open();
  Ringer(Ringer&& other) noexcept;
  Ringer& operator=(Ringer&&) = delete;
  ~Ringer();

  /// Wakes the agent whose bell has that address and flag, if it sleeps.
  void ring(const sockaddr_un& bell, BellFlag& flag) const {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (flag.is_asleep.load(std::memory_order_relaxed) == 0) return;
    if (flag.is_asleep.exchange(0, std::memory_order_acq_rel) != 0) send(bell);
  }
  /// Whether that bell can be reached.
  bool send(const sockaddr_un& bell) const;

 private:
  explicit Ringer(int file) : file_(file) {}
  int file_;
};

/// Of the bell with that name, which is cut to what an address holds.
sockaddr_un bell_address(const std::string& name);

}  // namespace tutti::agent
