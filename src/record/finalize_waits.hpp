#pragma once
// Waits of ranks in MPI_Finalize for those that enter it later.

#include <string_view>

#include "record/run_files.hpp"

namespace tutti::record {

/// Name of the call in the rows of such waits.
inline constexpr std::string_view k_finalize = "MPI_Finalize";

/// Adds to each rank a record of the wait from its entry into MPI_Finalize to the entry of the last rank, and extends
/// the rank's time to that moment. A rank writes its file inside MPI_Finalize, possibly before others have entered it,
/// so only the times of entry are in the files. Does nothing if a rank did not finalize, if the clocks are too
/// inaccurate, or if only some calls are recorded.
void add_finalize_waits(RunFiles* run);

}  // namespace tutti::record
