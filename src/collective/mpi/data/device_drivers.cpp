#include "collective/mpi/data/device_drivers.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>

#include "base/loads.hpp"

namespace tutti::mpi {

namespace {

/// One driver's library and the functions that are called, in the order of the driver's enumeration below.
struct Driver {
  const char* library;
  std::array<const char*, 8> names;
  std::array<std::atomic<void*>, 8> functions;
  std::atomic<bool> is_loaded;
};

enum Kind { k_cuda, k_hip, k_ze, k_kinds };
enum Cuda { k_cu_attribute, k_cu_current, k_cu_push, k_cu_pop, k_cu_retain, k_cu_release };
enum Hip { k_hip_attributes, k_hip_peek, k_hip_take };
enum Ze { k_ze_drivers, k_ze_context, k_ze_properties };

Driver drivers[k_kinds] = {
    {.library = "libcuda.so",
     .names = {"cuPointerGetAttribute", "cuCtxGetCurrent", "cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2",
               "cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2"}},
    {.library = "libamdhip64.so",
     .names = {"hipPointerGetAttributes", "hipPeekAtLastError", "hipGetLastError"}},
    {.library = "libze_loader.so", .names = {"zeDriverGet", "zeContextCreate", "zeMemGetAllocProperties"}},
};

template <class Signature>
Signature* function(Kind driver, int number) {
  void* const found = drivers[driver].functions[static_cast<size_t>(number)].load(std::memory_order_relaxed);
  return reinterpret_cast<Signature*>(found);
}

std::string_view file_name(const char* path) {
  const char* const slash = std::strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

using Paths = std::array<std::string, k_kinds>;

int note_path(dl_phdr_info* object, size_t, void* paths) {
  if (object->dlpi_name == nullptr) return 0;
  for (size_t kind = 0; kind < k_kinds; ++kind)
    if (file_name(object->dlpi_name).starts_with(drivers[kind].library))
      (*static_cast<Paths*>(paths))[kind] = object->dlpi_name;
  return 0;
}

std::mutex looking;
std::atomic<uint64_t> seen_loads{0};

void take(Driver& driver, const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);  // never closed: keeps it loaded
  if (library == nullptr) return;
  for (size_t i = 0; i < driver.names.size() && driver.names[i] != nullptr; ++i)
    driver.functions[i].store(dlsym(library, driver.names[i]), std::memory_order_relaxed);
  driver.is_loaded.store(driver.functions[0].load() != nullptr, std::memory_order_release);
}

/// Looks for drivers again if libraries have been loaded: the program, its libraries or the MPI load drivers when they
/// first need them, possibly by dlopen() with RTLD_LOCAL.
void look_for_drivers() {
  const uint64_t loads = base::count_of_loads();
  if (loads == seen_loads.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(looking);
  Paths paths;
  base::for_each_object(note_path, &paths);
  for (size_t kind = 0; kind < k_kinds; ++kind)
    if (!drivers[kind].is_loaded.load() && !paths[kind].empty()) take(drivers[kind], paths[kind]);
  seen_loads.store(loads, std::memory_order_release);
}

bool is_loaded(Kind kind) {
  return drivers[kind].is_loaded.load(std::memory_order_acquire);
}

/// CU_POINTER_ATTRIBUTE_* of cuda.h.
enum CudaAttribute { k_context = 1, k_memory_type = 2, k_device_ordinal = 9 };

template <class Answer>
bool ask_cuda(CudaAttribute attribute, const void* address, Answer* answer) {
  using Query = int(void*, int, unsigned long long);
  return function<Query>(k_cuda, k_cu_attribute)(answer, attribute, reinterpret_cast<uintptr_t>(address)) ==
         0;
}

/// Managed memory also has the type of device memory.
bool is_cuda_memory(const void* address) {
  constexpr unsigned k_device = 2;  // CU_MEMORYTYPE_DEVICE
  unsigned type = 0;
  return ask_cuda(k_memory_type, address, &type) && type == k_device;
}

/// hipPointerAttribute_t. The values of `type` differ between ROCm 5 and 6, so they are not used: host_pointer is set
/// if the host can access the memory, and device_pointer is null if HIP does not know the address.
struct HipAttributes {
  int type, device;
  void *device_pointer, *host_pointer;
  int is_managed;
  unsigned flags;
  std::array<uint64_t, 4> room;  // for fields of later versions
};

/// HIP stores the latest error for the program, so an error of this query is removed.
bool is_hip_memory(const void* address) {
  auto* const peek = function<int()>(k_hip, k_hip_peek);
  auto* const take_error = function<int()>(k_hip, k_hip_take);
  const bool had_error = peek == nullptr || peek() != 0;
  HipAttributes attributes{};
  const int error = function<int(HipAttributes*, const void*)>(k_hip, k_hip_attributes)(&attributes, address);
  if (error != 0 && !had_error && take_error != nullptr) take_error();
  return error == 0 && attributes.device_pointer != nullptr &&
         (attributes.host_pointer == nullptr || attributes.is_managed != 0);
}

/// The structures of ze_api.h.
struct ZeContextDescription {
  int type = 0xd;
  void* next = nullptr;
  uint32_t flags = 0;
};
struct ZeProperties {
  int type = 0x17;
  void* next = nullptr;
  int memory = 0;  // 0: unknown, 1: host, 2: device, 3: shared
  uint64_t id = 0, page_bytes = 0;
};

constexpr uint32_t k_most_ze_drivers = 4;
std::atomic<void*> ze_contexts[k_most_ze_drivers];
std::atomic<uint32_t> ze_context_count{0};

/// Creates the contexts for queries: any context of the driver will do. Fails until the program has initialised Level
/// Zero.
void make_ze_contexts() {
  const std::lock_guard lock(looking);
  if (ze_context_count.load() != 0) return;
  std::array<void*, k_most_ze_drivers> found{};
  uint32_t count = k_most_ze_drivers, made = 0;
  if (function<int(uint32_t*, void**)>(k_ze, k_ze_drivers)(&count, found.data()) != 0) return;
  for (uint32_t i = 0; i < std::min(count, k_most_ze_drivers); ++i) {
    const ZeContextDescription description;
    void* context = nullptr;
    auto* const create = function<int(void*, const ZeContextDescription*, void**)>(k_ze, k_ze_context);
    if (create(found[i], &description, &context) == 0) ze_contexts[made++].store(context);
  }
  ze_context_count.store(made, std::memory_order_release);
}

bool is_ze_memory(const void* address) {
  constexpr int k_device = 2, k_shared = 3;
  if (ze_context_count.load(std::memory_order_acquire) == 0) make_ze_contexts();
  for (uint32_t i = 0; i < ze_context_count.load(std::memory_order_acquire); ++i) {
    ZeProperties properties;
    void* device = nullptr;
    auto* const ask = function<int(void*, const void*, ZeProperties*, void**)>(k_ze, k_ze_properties);
    if (ask(ze_contexts[i].load(), address, &properties, &device) == 0 &&
        (properties.memory == k_device || properties.memory == k_shared))
      return true;
  }
  return false;
}

}  // namespace

bool belongs_to_device(const void* address) {
  look_for_drivers();
  return (is_loaded(k_cuda) && is_cuda_memory(address)) || (is_loaded(k_hip) && is_hip_memory(address)) ||
         (is_loaded(k_ze) && is_ze_memory(address));
}

bool enter_context_of(const void* address, int* device) {
  void* context = nullptr;
  if (!is_loaded(k_cuda)) return false;
  if (function<int(void**)>(k_cuda, k_cu_current)(&context) == 0 && context != nullptr) return false;
  // Memory of a pool belongs to a device but not to a context.
  if (!ask_cuda(k_context, address, &context)) context = nullptr;
  if (context == nullptr && (!ask_cuda(k_device_ordinal, address, device) ||
                             function<int(void**, int)>(k_cuda, k_cu_retain)(&context, *device) != 0)) {
    *device = -1;
    return false;
  }
  return function<int(void*)>(k_cuda, k_cu_push)(context) == 0;
}

void leave_context(int device) {
  void* left = nullptr;
  function<int(void**)>(k_cuda, k_cu_pop)(&left);
  if (device >= 0) function<int(int)>(k_cuda, k_cu_release)(device);
}

}  // namespace tutti::mpi
