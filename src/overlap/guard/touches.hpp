#pragma once
// Records threads that faulted on a protected page, so that a listener can unprotect it.

#include <cstdint>

#include "base/status.hpp"

namespace tutti::overlap::guard {

/// Receives the addresses of faulting threads, in order as far as the mechanism of a guard preserves it. One per
/// process.
class TouchListener {
 public:
  /// Returns the listener, which is created on the first call and never destroyed. Error: system.
  static base::Result<TouchListener*> get();

  /// Starts or stops the reports. Any thread; earlier reports can still be read.
  void listen();
  void ignore();

  /// Waits for the next fault and returns its address, or that of its page. One thread at a time.
  uint64_t next();

 private:
  TouchListener(int reader, int writer) : reader_(reader), writer_(writer) {}
  uint64_t next_waiting() const;

  const int reader_, writer_;  // ends of a pipe of addresses; 0: check the sources again
};

/// Reports that a thread is about to wait for this address. Async-signal-safe; one load without a listener. Changes
/// errno.
void tell_touch(uint64_t address);

}  // namespace tutti::overlap::guard
