#pragma once
// The drivers of accelerators that the program has loaded, and their answers about addresses: CUDA, HIP (ROCm) and
// Level Zero (oneAPI). Nothing is loaded, initialised or allocated on a device here. Any thread.

namespace tutti::mpi {

/// A driver that is loaded by now, however late and in whatever scope, calls the address its device's, or managed.
bool belongs_to_device(const void* address);

/// Gives the calling thread the CUDA context in which the address was allocated, where it has none of its own. false:
/// it needs none. `device`: whose primary context has been retained for that, -1 for none.
bool enter_context_of(const void* address, int* device);
void leave_context(int device);

}  // namespace tutti::mpi
