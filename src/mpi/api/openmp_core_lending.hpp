#pragma once
// Frees a core for the progress thread by reducing the OpenMP team of the computation (paper 001, section 3.3).

namespace tutti::mpi::api {

/// Makes the calling thread's teams smaller by one thread until all its lend_core() calls are undone. Does nothing in a
/// program without OpenMP, and if the team has only one thread.
void lend_core();
/// Called by the same thread, once for every lend_core(). Keeps a number of threads that the program has set meanwhile.
void return_core();

}  // namespace tutti::mpi::api
