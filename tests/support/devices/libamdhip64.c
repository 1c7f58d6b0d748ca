// Stands in for the run-time of HIP, as far as an MPI and Tutti ask it. Names, numbers and errors are those of ROCm 6.
#include <stdint.h>
#include <string.h>

#include "heap.h"

enum { k_invalid_value = 1, k_out_of_memory = 2 };
enum { k_type_host = 1, k_type_device = 2, k_type_managed = 3 };

struct attributes {
  int type, device;
  void *device_pointer, *host_pointer;
  int is_managed;
  unsigned flags;
};

static const char k_driver[] = "hip";
static __thread int g_last_error;

static int returned(int error) {
  if (error != 0) g_last_error = error;
  return error;
}

int hipPeekAtLastError(void) {
  return g_last_error;
}

int hipGetLastError(void) {
  const int error = g_last_error;
  g_last_error = 0;
  return error;
}

static int take(void** address, enum device_memory memory, size_t bytes) {
  *address = device_heap_take(k_driver, memory, bytes);
  return returned(*address != NULL ? 0 : k_out_of_memory);
}

int hipMalloc(void** address, size_t bytes) {
  return take(address, k_device_memory, bytes);
}

int hipMallocManaged(void** address, size_t bytes, unsigned flags) {
  return flags == 1 ? take(address, k_managed_memory, bytes) : returned(k_invalid_value);
}

int hipHostMalloc(void** address, size_t bytes, unsigned flags) {
  (void)flags;
  return take(address, k_host_memory, bytes);
}

int hipFree(void* address) {
  return returned(device_heap_give_back(address) ? 0 : k_invalid_value);
}

int hipMemcpy(void* to, const void* from, size_t bytes, int kind) {
  (void)kind;
  memcpy(device_heap_shadow(to), device_heap_shadow(from), bytes);
  return 0;
}

// Like ROCm 5 for unknown host memory: an error.
int hipPointerGetAttributes(struct attributes* answer, const void* address) {
  struct device_block block;
  if (!device_heap_find(k_driver, address, &block)) return returned(k_invalid_value);
  const bool is_host = block.memory == k_host_memory;
  *answer = (struct attributes){
      .type = is_host ? k_type_host : (block.memory == k_managed_memory ? k_type_managed : k_type_device),
      .device_pointer = (void*)address,
      .host_pointer = is_host || block.memory == k_managed_memory ? (void*)address : NULL,
      .is_managed = block.memory == k_managed_memory};
  return 0;
}
