#pragma once
// Facts about the program from the symbols of its loaded objects, available before MPI is initialised.

namespace tutti::mpi {

/// True if an object that is loaded by now, other than the MPI's own libraries and this one, calls nonblocking or
/// persistent collectives: the program, one of its libraries, or Python's bindings. Later objects are not seen.
bool program_calls_nonblocking_collectives();
/// Likewise, and the object references only some of them: bindings for another language reference all of them,
/// whatever the program calls.
bool program_chooses_nonblocking_collectives();
/// Likewise for collectives of Tutti's own interface (tutti/tutti.h), whose hints determine what serves them.
bool program_calls_collectives_of_ours();

/// Likewise for calls that create windows for one-sided communication, which MPI_THREAD_MULTIPLE makes slower or
/// impossible on MPIs that are in use.
bool program_uses_one_sided();

/// Likewise for calls that create error handlers or generalized requests. With MPI_THREAD_MULTIPLE, MPICH holds its
/// lock while it calls their functions: these may then neither call MPI nor leave it by an exception or longjmp.
bool program_has_locked_callbacks();

/// True if the program is compiled for a detector of data races (-fsanitize=thread), which observes all threads of the
/// process: with MPI_THREAD_MULTIPLE it reports the MPI's use of its locks and ends the program with its own status.
bool program_has_race_detector();

/// True if the program's MPI_Start, MPI_Startall and MPI_Request_free are this library's, not those of a tool that was
/// loaded before it and calls PMPI_*.
bool starts_reach_us();

/// As program_calls_nonblocking_collectives(), for calls that may block and in which Tutti makes no progress.
bool program_makes_undriven_calls();

/// Likewise for PMPI_* functions, which bypass all wrappers of MPI_*.
bool program_passes_by();

}  // namespace tutti::mpi
