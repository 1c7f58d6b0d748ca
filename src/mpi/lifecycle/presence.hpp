#pragma once
// Which ranks have this library. It can be missing on some: a wrapper clears the environment, a program is
// setuid, one context of an MPMD line was forgotten. The others must not begin anything collective then (ADR
// 12).

namespace tutti::mpi {

/// Tells the launcher, and `tutti run` on this machine, that this rank has the library. Before whatever initialises
/// the native MPI; the first call of a process counts. Any thread.
void announce_presence();

/// After the native MPI_Init, as the first thing there: true when all ranks of MPI_COMM_WORLD have this build
/// of the library, or where nothing can be found out. Otherwise one rank says so in a line. All ranks that
/// have it call this, and get the same answer. No rank without it gets a message.
bool is_present_everywhere();

}  // namespace tutti::mpi
