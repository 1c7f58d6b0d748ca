// Stands in for Level Zero's loader, as far as an MPI and Tutti ask it. Names, numbers and errors are those of
// ze_api.h.
#include <stdint.h>
#include <string.h>

#include "heap.h"

enum { k_uninitialised = 0x78000001, k_invalid_null_handle = 0x78000005, k_invalid_argument = 0x78000004 };
enum { k_out_of_memory = 0x70000003 };
enum { k_type_unknown, k_type_host, k_type_device, k_type_shared };
enum { k_context_description = 0xd, k_allocation_properties = 0x17 };

struct context_description {
  int type;
  const void* next;
  uint32_t flags;
};

struct allocation_properties {
  int type;
  void* next;
  int memory;
  uint64_t id, page_bytes;
};

static const char k_driver[] = "ze";
static bool g_is_initialised;
static char g_driver, g_device, g_context;

int zeInit(uint32_t flags) {
  (void)flags;
  g_is_initialised = true;
  return 0;
}

int zeDriverGet(uint32_t* count, void** drivers) {
  if (!g_is_initialised) return k_uninitialised;
  if (*count == 0 || drivers == NULL) {
    *count = 1;
    return 0;
  }
  *count = 1;
  drivers[0] = &g_driver;
  return 0;
}

int zeContextCreate(void* driver, const struct context_description* description, void** context) {
  if (driver != &g_driver || description->type != k_context_description) return k_invalid_argument;
  *context = &g_context;
  return 0;
}

static int take(void* context, enum device_memory memory, size_t bytes, void** address) {
  if (context != &g_context) return k_invalid_null_handle;
  *address = device_heap_take(k_driver, memory, bytes);
  return *address != NULL ? 0 : k_out_of_memory;
}

int zeMemAllocDevice(void* context, const void* description, size_t bytes, size_t alignment, void* device,
                     void** address) {
  (void)description, (void)alignment, (void)device;
  return take(context, k_device_memory, bytes, address);
}

int zeMemAllocShared(void* context, const void* description, const void* host_description, size_t bytes,
                     size_t alignment, void* device, void** address) {
  (void)description, (void)host_description, (void)alignment, (void)device;
  return take(context, k_managed_memory, bytes, address);
}

int zeMemAllocHost(void* context, const void* description, size_t bytes, size_t alignment, void** address) {
  (void)description, (void)alignment;
  return take(context, k_host_memory, bytes, address);
}

int zeMemFree(void* context, void* address) {
  return context == &g_context && device_heap_give_back(address) ? 0 : k_invalid_argument;
}

int zeMemGetAllocProperties(void* context, const void* address, struct allocation_properties* answer,
                            void** device) {
  if (context != &g_context) return k_invalid_null_handle;
  if (answer->type != k_allocation_properties) return k_invalid_argument;
  struct device_block block;
  if (!device_heap_find(k_driver, address, &block)) {
    answer->memory = k_type_unknown;
    return 0;
  }
  answer->memory = block.memory == k_host_memory      ? k_type_host
                   : block.memory == k_managed_memory ? k_type_shared
                                                      : k_type_device;
  if (device != NULL) *device = &g_device;
  return 0;
}
