// Stands in for CUDA's driver, as far as an MPI and Tutti ask it. Names, numbers and errors are those of cuda.h.
#include <stdint.h>
#include <string.h>

#include "heap.h"

enum { k_invalid_value = 1, k_out_of_memory = 2, k_invalid_context = 201 };
enum { k_attribute_context = 1, k_attribute_memory_type = 2, k_attribute_ordinal = 9 };
enum { k_type_host = 1, k_type_device = 2 };

static char g_context;  // of the only device
static const char k_driver[] = "cuda";

int cuInit(unsigned flags) {
  return flags == 0 ? 0 : k_invalid_value;
}

int cuCtxGetCurrent(void** context) {
  *context = device_heap_context;
  return 0;
}

int cuCtxSetCurrent(void* context) {
  device_heap_context = context;
  return 0;
}

int cuCtxPushCurrent_v2(void* context) {
  if (context != &g_context || device_heap_context != NULL) return k_invalid_context;
  device_heap_context = context;
  return 0;
}

int cuCtxPopCurrent_v2(void** context) {
  if (device_heap_context == NULL) return k_invalid_context;
  *context = device_heap_context;
  device_heap_context = NULL;
  return 0;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = &g_context;
  return device == 0 ? 0 : k_invalid_value;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  return device == 0 ? 0 : k_invalid_value;
}

static int take(uintptr_t* address, enum device_memory memory, size_t bytes) {
  if (device_heap_context == NULL) return k_invalid_context;
  *address = (uintptr_t)device_heap_take(k_driver, memory, bytes);
  return *address != 0 ? 0 : k_out_of_memory;
}

int cuMemAlloc_v2(uintptr_t* address, size_t bytes) {
  return take(address, k_device_memory, bytes);
}

int cuMemAllocManaged(uintptr_t* address, size_t bytes, unsigned flags) {
  return flags == 1 ? take(address, k_managed_memory, bytes) : k_invalid_value;
}

int cuMemAllocAsync(uintptr_t* address, size_t bytes, void* stream) {
  (void)stream;
  return take(address, k_pool_memory, bytes);
}

int cuMemAllocHost_v2(void** address, size_t bytes) {
  return take((uintptr_t*)address, k_host_memory, bytes);
}

int cuMemFree_v2(uintptr_t address) {
  return device_heap_give_back((void*)address) ? 0 : k_invalid_value;
}

int cuMemcpy(uintptr_t to, uintptr_t from, size_t bytes) {
  if (device_heap_context == NULL) return k_invalid_context;
  memcpy(device_heap_shadow((void*)to), device_heap_shadow((void*)from), bytes);
  return 0;
}

int cuPointerGetAttribute(void* answer, int attribute, unsigned long long address) {
  struct device_block block;
  if (!device_heap_find(k_driver, (void*)(uintptr_t)address, &block)) return k_invalid_value;
  switch (attribute) {
    case k_attribute_context:
      if (block.memory == k_pool_memory) return k_invalid_value;
      *(void**)answer = &g_context;
      return 0;
    case k_attribute_memory_type:
      *(unsigned*)answer = block.memory == k_host_memory ? k_type_host : k_type_device;
      return 0;
    case k_attribute_ordinal:
      *(int*)answer = 0;
      return 0;
    default:
      return k_invalid_value;
  }
}
