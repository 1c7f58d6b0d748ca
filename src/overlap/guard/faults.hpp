#pragma once
// SIGSEGV handler for guards that use page protection: a thread that accesses a closed page waits in the handler and
// then repeats the instruction. Other faults are passed to the program's handler.

#include <signal.h>

namespace tutti::overlap::guard {

/// Installs the handler. Repeated calls have no effect; any thread.
void catch_faults();

bool are_faults_caught();

/// Implements the program's sigaction() for SIGSEGV while the handler is installed. `action` and `before` may be
/// nullptr. Returns false if the handler is not installed, so that the kernel must be called.
bool exchange_fault_action(const struct sigaction* action, struct sigaction* before);

}  // namespace tutti::overlap::guard
