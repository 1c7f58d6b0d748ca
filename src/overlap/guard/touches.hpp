#pragma once
// Records threads that faulted on a protected page, so that a listener can unprotect it.

#include <cstdint>

#include "base/status.hpp"

namespace tutti::overlap::guard {

/// Hears of touches, in their order as far as one guard's mechanism tells them. One for a process.
class TouchListener {
 public:
  /// Makes it where there is none yet; it stays. Error: system.
  static base::Result<TouchListener*> get();

  /// From now on touches are told, or no longer. Any thread; what has been told stays to be heard.
  void listen();
  void ignore();

  /// Waits for a touch: its address, or that of its page. One thread at a time.
  uint64_t next();

 private:
  TouchListener(int reader, int writer) : reader_(reader), writer_(writer) {}
  uint64_t next_waiting() const;

  const int reader_, writer_;  // of a pipe of addresses; 0: look again who is to be heard
};

/// Somebody is about to wait for this address. Async-signal-safe; one load where nobody listens. Changes errno.
void tell_touch(uint64_t address);

}  // namespace tutti::overlap::guard
