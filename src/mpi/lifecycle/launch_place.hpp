#pragma once

namespace tutti::mpi {

/// All ranks of the job are on this node, by what the launcher says in the environment, the same to all of them. Before
/// the MPI is initialised; false where a launcher does not say.
bool is_launched_on_one_node();

}  // namespace tutti::mpi
