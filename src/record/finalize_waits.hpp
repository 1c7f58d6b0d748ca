#pragma once
// Waits of ranks in MPI_Finalize for those that enter it later.

#include "record/run_files.hpp"

namespace tutti::record {

/// Adds to each rank a record of the wait from its entry into MPI_Finalize to the entry of the last rank, and extends
/// the rank's time to that moment. A rank writes its file inside MPI_Finalize, possibly before others have entered it,
/// so only the times of entry are in the files. Does nothing if a rank did not finalize, if the clocks are too
/// inaccurate, or if only some calls are recorded.
void add_finalize_waits(RunFiles* run);

}  // namespace tutti::record
