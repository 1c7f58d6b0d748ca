#include "mpi/data/device_memory.hpp"

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace tutti::mpi {

namespace {

bool takes_device_memory = false;

/// The function of that name, if anything that is loaded has it.
template <class Function>
Function* find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

/// Open MPI answers by one function for each kind of device, MPICH by one for all.
bool mpi_takes_device_memory() {
  for (const char* name : {"MPIX_Query_cuda_support", "MPIX_Query_rocm_support", "MPIX_Query_ze_support"})
    if (auto* const query = find<int()>(name); query != nullptr && query() != 0) return true;
  auto* const query = find<int(int, int*)>("MPIX_GPU_query_support");
  constexpr int k_kinds = 3;  // MPIX_GPU_SUPPORT_CUDA, _ZE, _HIP
  for (int kind = 0; query != nullptr && kind < k_kinds; ++kind)
    if (int is_taken = 0; query(kind, &is_taken) == MPI_SUCCESS && is_taken != 0) return true;
  return false;
}

int is_device_run_time(dl_phdr_info* object, size_t, void*) {
  if (object->dlpi_name == nullptr) return 0;
  const char* const slash = std::strrchr(object->dlpi_name, '/');
  const std::string_view name = slash != nullptr ? slash + 1 : object->dlpi_name;
  for (const char* known : {"libcuda.so", "libcudart.so", "libamdhip64.so", "libze_loader.so", "libsycl.so"})
    if (name.starts_with(known)) return 1;
  return 0;
}

/// The driver's answer for CUDA: the processor reaches managed memory, whose type is that of a device.
bool is_cuda_device_memory(const void* address) {
  using Query = int(void*, int, uintptr_t);
  constexpr int k_memory_type = 2, k_is_managed = 8;  // CU_POINTER_ATTRIBUTE_*
  constexpr unsigned k_device = 2;                    // CU_MEMORYTYPE_DEVICE
  auto* const query = find<Query>("cuPointerGetAttribute");
  if (query == nullptr) return false;
  const auto at = reinterpret_cast<uintptr_t>(address);
  unsigned type = 0, is_managed = 0;
  if (query(&type, k_memory_type, at) != 0 || type != k_device) return false;
  return query(&is_managed, k_is_managed, at) != 0 || is_managed == 0;
}

}  // namespace

void prepare_device_memory() {
  takes_device_memory = mpi_takes_device_memory();
}

bool program_may_use_devices() {
  return takes_device_memory && dl_iterate_phdr(is_device_run_time, nullptr) != 0;
}

bool is_device_memory(const void* address) {
  return takes_device_memory && is_cuda_device_memory(address);
}

}  // namespace tutti::mpi
