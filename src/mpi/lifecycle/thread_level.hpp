#pragma once
// The thread level that the program hears of. Tutti may ask the MPI for more, for threads of its own; the program gets
// the answer that it would get without Tutti, because programs and libraries act upon it (MPI 4.0, section 11.6.2).

namespace tutti::mpi {

/// One of MPI's four.
bool is_thread_level(int level);

/// What the native MPI_Init takes as the level that the program requires.
int level_of_init();
/// What the native MPI_Init_thread takes as such when the program requires this level.
int level_of_init_thread(int required);

/// After the native initialisation. `wanted`: of the functions above. `granted`: what the MPI has granted Tutti. What
/// the program is answered, by told_level(), too.
int tell_level(int wanted, int granted);
/// The answer to MPI_Query_thread, where `native` is the MPI's own. Any thread.
int told_level(int native);

}  // namespace tutti::mpi
