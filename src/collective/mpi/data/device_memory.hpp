#pragma once
// Detects memory of accelerators, which an MPI may accept like host memory and which the processor must not access.
//
// Whether a buffer is in device memory is local knowledge: each call checks it on the rank that passes the buffer, and
// it affects only how that rank accesses its data (docs/mpi-semantics.md, "Device memory"). The driver is queried each
// time, because an address of host memory can belong to a device at the next call.

namespace tutti::mpi {

/// Asks the MPI whether it accepts device memory. Called once, before the other functions.
void prepare_device_memory();

/// True if the processor cannot access the memory, or only because a driver migrates it (managed memory). One load if
/// the MPI does not accept device memory. Any thread.
bool is_device_memory(const void* address);

/// While it lives, the calling thread can pass `address` to the MPI's own functions: to access CUDA memory, a thread
/// needs a context, which threads other than the program's do not have.
class DeviceAccess {
 public:
  explicit DeviceAccess(const void* address);
  ~DeviceAccess();
  DeviceAccess(const DeviceAccess&) = delete;
  DeviceAccess& operator=(const DeviceAccess&) = delete;

  bool is_device_memory() const { return is_device_memory_; }

 private:
  bool is_device_memory_;
  bool has_entered_ = false;
  int device_ = -1;  // device whose context has been retained; -1: none
};

}  // namespace tutti::mpi
