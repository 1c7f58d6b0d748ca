#pragma once
// The thread level that is reported to the program. Tutti may request a higher one from the MPI for its own threads;
// the program gets the answer that it would get without Tutti, because programs and libraries depend on it (MPI 4.0,
// section 11.6.2).

namespace tutti::mpi {

/// True for the four levels of MPI.
bool is_thread_level(int level);

/// The level that the native MPI_Init assumes as required.
int level_of_init();
/// The level that the native MPI_Init_thread assumes as required when the program requires this one.
int level_of_init_thread(int required);

/// Called after the native initialisation. `wanted`: from one of the two functions above. `granted`: the level that the
/// MPI granted to Tutti. Returns the level for the program, which told_level() returns from now on.
int tell_level(int wanted, int granted);
/// The answer to MPI_Query_thread, where `native` is the MPI's own. Any thread.
int told_level(int native);

}  // namespace tutti::mpi
