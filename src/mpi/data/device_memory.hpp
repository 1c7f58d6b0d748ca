#pragma once
// Memory of accelerators, which an MPI may take in place of memory of the host, and which the processor must not touch.
//
// Programs that may have it when MPI is initialised are left to their MPI altogether (lifecycle/start.cpp), which
// reaches their buffers faster. A run-time of accelerators that is loaded later, as by Python, cannot be foreseen by
// all ranks: then each buffer is asked about on the rank that gives it, and staged by the MPI's own pack functions.

namespace tutti::mpi {

/// Asks the MPI, once, before the first call of the others.
void prepare_device_memory();

/// The MPI takes device memory, and a run-time for it (CUDA, HIP, oneAPI) is loaded. This rank's own business.
bool program_may_use_devices();

/// The processor cannot reach what is there. One load where the MPI does not take such memory. Any thread.
bool is_device_memory(const void* address);

}  // namespace tutti::mpi
