#pragma once
// SIGSEGV where guards are enforced by the protection of pages: the thread that touches a closed page waits in the
// handler, and then goes on with the instruction. Everything else goes to whom it belongs.

#include <signal.h>

namespace tutti::overlap::guard {

/// From now on faults in closed memory are waits. Once per process; any thread.
void catch_faults();

bool are_faults_caught();

/// What a program's sigaction() for SIGSEGV has to do while faults are caught: `action` may be nullptr, and so may
/// `before`. Returns false where faults are not caught: the kernel decides.
bool exchange_fault_action(const struct sigaction* action, struct sigaction* before);

}  // namespace tutti::overlap::guard
