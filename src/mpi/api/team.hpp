#pragma once
// A core for the progress thread, taken from the OpenMP team of the computation (paper 001, section 3.3).

namespace tutti::mpi::api {

/// The teams of the calling thread are one smaller while it has lent a core at least once. Does nothing in a
/// program without OpenMP, and where there is only one thread to begin with.
void lend_core();
/// By the same thread, once for every lend_core(). A number of threads that the program has set meanwhile
/// stays.
void return_core();

}  // namespace tutti::mpi::api
