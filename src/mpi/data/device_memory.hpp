#pragma once
// Memory of accelerators, which an MPI may take in place of memory of the host, and which the processor must not touch.
//
// Whether a buffer lies there is what one rank knows: it is asked for each call, on the rank that gives the buffer, and
// changes nothing but how that rank gets at its data (docs/mpi-semantics.md, "Device memory"). The driver that has made
// the allocation is asked each time, since an address that was memory of the host can be a device's a call later.

namespace tutti::mpi {

/// Asks the MPI, once, before the first call of the others.
void prepare_device_memory();

/// The processor cannot reach what is there, or reaches it by the grace of a driver that moves it (managed memory). One
/// load where the MPI does not take such memory. Any thread.
bool is_device_memory(const void* address);

/// While it lives, the calling thread can hand `address` to the MPI's own functions: to reach memory of CUDA, a thread
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
  int device_ = -1;  // whose context has been retained
};

}  // namespace tutti::mpi
