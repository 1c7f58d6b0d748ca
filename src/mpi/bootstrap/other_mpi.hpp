#pragma once
// Check that the loaded MPI is the one that this library was built for: MPI handle types differ between MPIs.

namespace tutti::mpi {

/// Called before any MPI function. If the process has loaded the other MPI, for example by a script under the wrong
/// launcher, prints one line per job and ends the process with status 1: the program's calls would reach an MPI that it
/// was not compiled for.
void refuse_other_mpi();

}  // namespace tutti::mpi
