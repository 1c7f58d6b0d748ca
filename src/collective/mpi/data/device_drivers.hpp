#pragma once
// Queries the loaded accelerator drivers about addresses: CUDA, HIP (ROCm) and Level Zero (oneAPI). Loads, initialises
// and allocates nothing on a device. Any thread.

namespace tutti::mpi {

/// True if any driver that is loaded by now, in whatever scope, reports the address as device or managed memory.
bool belongs_to_device(const void* address);

/// Pushes the CUDA context in which the address was allocated on the calling thread, if that has no context. False: not
/// needed, or not possible. `device`: the device whose primary context has been retained for that; -1: none.
bool enter_context_of(const void* address, int* device);
void leave_context(int device);

}  // namespace tutti::mpi
