#pragma once
// Each library serves the programs of one MPI: handles of the other one are another type.

namespace tutti::mpi {

/// Called before anything of MPI. Where the process has loaded the other MPI, as a script under the wrong
/// launcher makes it, says so in one line per job and ends the process with status 1: the program's calls
/// would reach an MPI that it was not compiled for.
void refuse_other_mpi();

}  // namespace tutti::mpi
