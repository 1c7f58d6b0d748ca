#pragma once

namespace tutti::mpi {

/// True if all ranks of the job are on this node according to the launcher's environment variables; the same on all
/// ranks. False if the launcher does not set them. Can be called before the MPI is initialised.
bool is_launched_on_one_node();

}  // namespace tutti::mpi
