#include "collective/mpi/data/device_memory.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <initializer_list>

#include "collective/mpi/data/device_drivers.hpp"

namespace tutti::mpi {

namespace {

bool takes_device_memory = false;

/// The function of that name, if a loaded library defines it.
template <class Function>
Function* find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

/// Open MPI has one query function for each kind of device, MPICH one for all kinds.
bool mpi_takes_device_memory() {
  for (const char* name : {"MPIX_Query_cuda_support", "MPIX_Query_rocm_support", "MPIX_Query_ze_support"})
    if (auto* const query = find<int()>(name); query != nullptr && query() != 0) return true;
  auto* const query = find<int(int, int*)>("MPIX_GPU_query_support");
  constexpr int k_kinds = 3;  // MPIX_GPU_SUPPORT_CUDA, _ZE, _HIP
  for (int kind = 0; query != nullptr && kind < k_kinds; ++kind)
    if (int is_taken = 0; query(kind, &is_taken) == MPI_SUCCESS && is_taken != 0) return true;
  return false;
}

}  // namespace

void prepare_device_memory() {
  takes_device_memory = mpi_takes_device_memory();
}

bool is_device_memory(const void* address) {
  return takes_device_memory && address != nullptr && belongs_to_device(address);
}

DeviceAccess::DeviceAccess(const void* address) : is_device_memory_(mpi::is_device_memory(address)) {
  if (is_device_memory_) has_entered_ = enter_context_of(address, &device_);
}

DeviceAccess::~DeviceAccess() {
  if (has_entered_) leave_context(device_);
}

}  // namespace tutti::mpi
