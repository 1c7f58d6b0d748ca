#pragma once
// What the program says about itself before MPI is initialised.

namespace tutti::mpi {

/// Some object loaded so far, other than the MPI's own libraries and this one, calls nonblocking or
/// persistent collectives: the program, one of its libraries, or Python's bindings. Objects loaded later are
/// not seen.
bool program_calls_nonblocking_collectives();
/// Likewise, and names some of them only: bindings for another language name them all, whatever the program calls.
bool program_chooses_nonblocking_collectives();
/// Likewise: those of Tutti's own interface, which say themselves what is to serve them.
bool program_calls_collectives_of_ours();

/// Likewise: something makes windows for one-sided communication, which MPI_THREAD_MULTIPLE makes slower, or
/// impossible, on MPIs that are in use.
bool program_uses_one_sided();

/// Likewise: something makes error handlers or generalized requests. MPICH calls their functions with its lock in hand
/// where it has one, which is with MPI_THREAD_MULTIPLE: there they may neither call it nor leave it by an exception or
/// a jump.
bool program_has_locked_callbacks();

/// The program has been compiled for a detector of data races (-fsanitize=thread), which watches all threads of the
/// process: it reports what the MPI does with its locks where it has them, and ends the program with its own status.
bool program_has_race_detector();

/// MPI_Start, MPI_Startall and MPI_Request_free of the program are this library's, not those of a tool that
/// was loaded before it and goes on with PMPI_*.
bool starts_reach_us();

/// Likewise: something calls what may block and in which Tutti makes no progress of its own.
bool program_makes_undriven_calls();

/// Likewise: something calls PMPI_*, and so passes by what stands in front of MPI_*.
bool program_passes_by();

}  // namespace tutti::mpi
