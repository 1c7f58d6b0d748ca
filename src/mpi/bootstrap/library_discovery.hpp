#pragma once
// Checks whether all ranks have this library. It can be missing on some: a wrapper clears the environment, a program is
// setuid, one context of an MPMD command line was forgotten. Then the others must not start collective operations (ADR
// 12).

namespace tutti::mpi {

/// Announces to the launcher, and to `tutti run` on this machine, that this rank has the library. Called before any
/// initialisation of the native MPI; only the first call in a process has an effect. Any thread.
void announce_presence();

/// Called first after the native MPI_Init: true if all ranks of MPI_COMM_WORLD have this build of the library, or if
/// that cannot be determined. Otherwise one rank prints a line. All ranks that have the library call this and get the
/// same answer. Ranks without it get no message.
bool is_present_everywhere();

}  // namespace tutti::mpi
